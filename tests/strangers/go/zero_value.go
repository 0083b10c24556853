package stats

import (
	"bufio"
	"io"
	"os"
)

// Counter counts words over several files.
type Counter struct {
	Words int
	files int
}

// Add counts the words of a file.
func (c *Counter) Add(fileName string) error {
	file, err := os.Open(fileName)
	if err != nil {
		return err
	}
	defer file.Close()
	c.files++
	words := bufio.NewScanner(file)
	words.Split(bufio.ScanWords)
	for words.Scan() {
		c.Words++
	}
	return words.Err()
}

// Sum is the sum of all bytes.
type Sum uint64

// From adds all that a reader has.
func (s *Sum) From(r io.Reader) (int64, error) {
	buf := make([]byte, 32*1024)
	var total int64
	for {
		n, err := r.Read(buf)
		for _, b := range buf[:n] {
			*s += Sum(b)
		}
		total += int64(n)
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}
