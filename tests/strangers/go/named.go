package named

import (
	"bytes"
	"os"
)

// Labeled is a path that has a name for people.
type Labeled interface {
	~string
	Label() string
}

func ReadLabeled[P Labeled](path P) (string, []byte, error) {
	data, err := os.ReadFile(string(path))
	return path.Label(), data, err
}

func CountErrors(path string) (int, error) {
	data, err := os.ReadFile(path)
	return bytes.Count(data, []byte("ERROR")), err
}
