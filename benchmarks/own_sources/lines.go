package lines

import (
	"bytes"
	"io"
	"os"
)

func Lines(path string) (int, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	block, count := make([]byte, 65536), 0
	for {
		got, err := file.Read(block)
		count += bytes.Count(block[:got], []byte{'\n'})
		if err == io.EOF {
			return count, nil
		}
		if err != nil {
			return 0, err
		}
	}
}
