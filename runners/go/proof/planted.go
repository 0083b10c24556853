// Package planted reads a file, and a share of it once more: `iogauge gate --prove` writes how much.
package planted

import (
	"io"
	"os"
)

const extra = 0.0

// Read returns how many bytes a file holds.
func Read(path string) (int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	block := make([]byte, 64<<10)
	var total int64
	for {
		count, err := file.Read(block)
		total += int64(count)
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, err
		}
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	for again := int64(extra * float64(total)); again > 0; {
		count, err := file.Read(block[:min(again, int64(len(block)))])
		if err != nil {
			return 0, err
		}
		again -= int64(count)
	}
	return total, nil
}
