package strategies

import (
	"io"
	"os"

	"iogauge/runners/go/consume"
)

func init() {
	register(Strategy{
		Name:        "go/seek-read-random",
		Title:       "os.File.Seek, io.ReadFull",
		Call:        "os.File.Seek, io.ReadFull",
		Access:      random,
		Parameters:  map[string]Parameter{"block": positionalBlock},
		Buffer:      "reused",
		Effort:      2,
		ComputeOnly: "go/consume-array",
		Open: func(setup Setup) (Operation, error) {
			block := make([]byte, setup.Parameters["block"])
			return func(path string, tally *consume.Tally) error {
				file, err := os.Open(path)
				if err != nil {
					return err
				}
				defer file.Close()
				for _, offset := range setup.Offsets {
					if _, err := file.Seek(offset, io.SeekStart); err != nil {
						return err
					}
					if _, err := io.ReadFull(file, block); err != nil {
						return err
					}
					tally.At(offset)
					tally.Block(block)
				}
				return nil
			}, nil
		},
	})
}
