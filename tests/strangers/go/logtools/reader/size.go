package reader

import "os"

// Size reads the whole file.
func Size(path string) (int, error) {
	data, err := os.ReadFile(path)
	return len(data), err
}
