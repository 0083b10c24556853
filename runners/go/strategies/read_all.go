package strategies

import (
	"io"
	"os"

	"iogauge/runners/go/consume"
)

func init() {
	register(Strategy{
		Name:        "go/read-all",
		Title:       "os.Open, io.ReadAll",
		Call:        "io.ReadAll",
		Unit:        "file",
		Buffer:      "new",
		Effort:      1,
		ComputeOnly: "go/consume-array",
		// Since Go 1.26 pieces live beside the result, the last of them, perhaps still empty, half as large as all before it:
		// up to 1.5 + 1. Earlier a slice a quarter larger lived beside the one it replaced: up to 1.25 + 1.
		Needs: Needs{MemoryPerFileByte: 2.5},
		Open: func(Setup) (Operation, error) {
			return func(path string, tally *consume.Tally) error {
				file, err := os.Open(path)
				if err != nil {
					return err
				}
				defer file.Close()
				data, err := io.ReadAll(file)
				if err != nil {
					return err
				}
				tally.Block(data)
				return nil
			}, nil
		},
	})
}
