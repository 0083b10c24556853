package copies

import (
	"io"
	"os"
)

// Copy copies a file.
func Copy(src, dst string) (int64, error) {
	from, err := os.Open(src)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	to, err := os.Create(dst)
	if err != nil {
		return 0, err
	}
	defer to.Close()
	return io.Copy(to, from)
}
