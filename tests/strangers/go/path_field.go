package fields

import (
	"bufio"
	"io"
	"os"
)

// LogReader reads the file of that name.
type LogReader struct {
	FileName string
	Strict   bool
	lines    int
}

// Load returns the lines of the file.
func (r *LogReader) Load() ([]string, error) {
	file, err := os.Open(r.FileName)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var found []string
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		r.lines++
		found = append(found, scanner.Text())
	}
	return found, scanner.Err()
}

// OpenLog leaves the file open.
func OpenLog(path string) (io.ReadCloser, error) { return os.Open(path) }

// Blocks reads blocks of a size.
func Blocks(path string, blockSize int) (blocks int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	block := make([]byte, blockSize)
	for {
		_, err := io.ReadFull(file, block)
		if err == io.EOF {
			return blocks, nil
		}
		blocks++
		if err == io.ErrUnexpectedEOF {
			return blocks, nil
		}
		if err != nil {
			return blocks, err
		}
	}
}
