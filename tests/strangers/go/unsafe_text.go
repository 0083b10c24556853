package text

import (
	"os"
	"unsafe"
)

// ReadText returns the text of a file without copying it.
func ReadText(file_path string) (string, error) {
	data, err := os.ReadFile(file_path)
	if err != nil || len(data) == 0 {
		return "", err
	}
	return unsafe.String(&data[0], len(data)), nil
}
