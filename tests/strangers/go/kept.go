package kept

import (
	"os"
	"sync"
)

var files sync.Map

// Load reads each file once.
func Load(path string) ([]byte, error) {
	if data, found := files.Load(path); found {
		return data.([]byte), nil
	}
	data, err := os.ReadFile(path)
	if err == nil {
		files.Store(path, data)
	}
	return data, err
}
