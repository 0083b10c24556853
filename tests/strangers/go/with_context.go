package scan

import (
	"bufio"
	"context"
	"os"
)

func CountWithContext(ctx context.Context, path string) (n int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	s := bufio.NewScanner(f)
	for s.Scan() {
		select {
		case <-ctx.Done():
			return n, ctx.Err()
		default:
			n++
		}
	}
	return n, s.Err()
}
