package work

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// Written says which new files operations write, one each.
type Written struct {
	Folder   string `json:"folder"`
	Batch    int    `json:"batch"`     // how many there are before they are removed
	Like     string `json:"like"`      // a file that each has to equal
	SizeOnly bool   `json:"size_only"` // whether only their sizes have to be equal
}

// Paths returns the paths of so many files.
func (w *Written) Paths(count int) []string {
	paths := make([]string, count)
	for i := range paths {
		paths[i] = filepath.Join(w.Folder, fmt.Sprintf("%d.written", i))
	}
	return paths
}

// CheckAndRemove looks at the files as iogauge does, and removes them.
func (w *Written) CheckAndRemove(paths []string) error {
	like, err := os.ReadFile(w.Like)
	if err != nil {
		return err
	}
	for _, path := range paths {
		found, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if len(found) != len(like) || !w.SizeOnly && !bytes.Equal(found, like) {
			return fmt.Errorf("%s does not hold what was to be written", path)
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}
