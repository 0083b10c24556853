package stream

import (
	"bufio"
	"os"
)

// Stream sends each line; the channel is closed at the end.
func Stream(path string) (<-chan string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	out := make(chan string, 128)
	go func() {
		defer close(out)
		defer file.Close()
		scanner := bufio.NewScanner(file)
		for scanner.Scan() {
			out <- scanner.Text()
		}
	}()
	return out, nil
}
