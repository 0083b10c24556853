package strategies

import (
	"io"
	"os"
	"syscall"

	"iogauge/runners/go/consume"
)

func init() {
	register(Strategy{
		Name:        "go/file-read-direct",
		Title:       "os.File.Read with O_DIRECT, into aligned memory",
		Call:        "os.File.Read, O_DIRECT",
		Parameters:  map[string]Parameter{"block": directBlock},
		Bypasses:    true,
		Buffer:      "reused",
		Effort:      4,
		ComputeOnly: "go/consume-array",
		Open: func(setup Setup) (Operation, error) {
			block := aligned(wholeSectors(int(setup.Parameters["block"])))
			return func(path string, tally *consume.Tally) error {
				file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECT, 0)
				if err != nil {
					return err
				}
				defer file.Close()
				for { // a short read is at the end, from where O_DIRECT does not go on
					n, err := file.Read(block)
					tally.Block(block[:n])
					if err == io.EOF || err == nil && n < len(block) {
						return nil
					}
					if err != nil {
						return err
					}
				}
			}, nil
		},
	})
}
