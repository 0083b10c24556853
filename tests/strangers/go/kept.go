package kept

import (
	"os"
	"sync"
)

var sizes sync.Map

// Size reads each file once.
func Size(path string) (int, error) {
	if size, found := sizes.Load(path); found {
		return size.(int), nil
	}
	data, err := os.ReadFile(path)
	if err == nil {
		sizes.Store(path, len(data))
	}
	return len(data), err
}
