package strategies

import (
	"os"

	"iogauge/runners/go/consume"
)

func init() {
	register(Strategy{
		Name:        "go/read-file",
		Title:       "os.ReadFile",
		Call:        "os.ReadFile",
		Unit:        "file",
		Buffer:      "new",
		Effort:      1,
		ComputeOnly: "go/consume-array",
		Needs:       Needs{MemoryPerFileByte: 1},
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
