package decode

import (
	"encoding/json"
	"os"
)

// Decode reads a document of any type.
func Decode[T any](path string) (T, error) {
	var value T
	data, err := os.ReadFile(path)
	if err != nil {
		return value, err
	}
	return value, json.Unmarshal(data, &value)
}
