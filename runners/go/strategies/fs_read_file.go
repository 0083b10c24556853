package strategies

import (
	"io/fs"
	"os"
	"path/filepath"

	"iogauge/runners/go/consume"
)

func init() {
	register(Strategy{
		Name:        "go/fs-read-file",
		Title:       "fs.ReadFile of os.DirFS",
		Call:        "fs.ReadFile",
		Unit:        "file",
		Buffer:      "new",
		Effort:      1,
		ComputeOnly: "go/consume-array",
		Needs:       Needs{MemoryPerFileByte: 1},
		Open: func(Setup) (Operation, error) {
			return func(path string, tally *consume.Tally) error {
				folder, name := filepath.Split(path)
				data, err := fs.ReadFile(os.DirFS(folder), name)
				if err != nil {
					return &fs.PathError{Op: "fs.ReadFile", Path: path, Err: err} // it names only the file itself
				}
				tally.Block(data)
				return nil
			}, nil
		},
	})
}
