package opened

import (
	"bufio"
	"io"
	"os"
	"strings"
)

func CountFile(f *os.File) (int64, error) { return io.Copy(io.Discard, f) }

func CountReader(r io.Reader) (n int) {
	buf := make([]byte, 8192)
	for {
		k, err := r.Read(buf)
		n += k
		if err != nil {
			return n
		}
	}
}

func Tail(r io.ReadSeeker, log bool) (string, error) {
	if _, err := r.Seek(-20, io.SeekEnd); err != nil {
		return "", err
	}
	data, err := io.ReadAll(r)
	return string(data), err
}

func CountWords(scanner *bufio.Scanner) int {
	words := 0
	for scanner.Scan() {
		words += len(strings.Fields(scanner.Text()))
	}
	return words
}

func FirstField(in *bufio.Reader) (fields map[string]int, err error) {
	fields = map[string]int{}
	for {
		line, err := in.ReadString('\n')
		if err == io.EOF {
			return fields, nil
		}
		if err != nil {
			return nil, err
		}
		first, _, _ := strings.Cut(line, " ")
		fields[first]++
	}
}
