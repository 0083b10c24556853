package strategies

import (
	"os"

	"iogauge/runners/go/consume"
)

func init() {
	register(Strategy{
		Name:       "go/read-file",
		Title:      "os.ReadFile",
		Call:       "os.ReadFile",
		Operation:  "read",
		Unit:       "file",
		Medium:     "file",
		Sums:       "byte",
		Consumes:   everyKind,
		Parameters: noParameters,
		Buffer:     "new",
		Data:       "copied",
		Effort:     1,
		Role:       "contestant",
		Companion:  "go/consume-array",
		Needs:      Needs{MemoryPerFileByte: 1},
		Open: func(Setup) (Operation, error) {
			return func(path string, tally *consume.Tally) error {
				data, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				tally.Block(data)
				return nil
			}, nil
		},
	})
}
