package strategies

import (
	"io"
	"os"

	"iogauge/runners/go/consume"
)

func init() {
	register(Strategy{
		Name:        "go/file-read",
		Title:       "os.File.Read",
		Call:        "os.File.Read",
		Parameters:  map[string]Parameter{"block": readBlock},
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
				return readBlocks(file, block, tally)
			}, nil
		},
	})
}

// readBlocks reads to the end of the data, one Read into block after the other.
func readBlocks(reader io.Reader, block []byte, tally *consume.Tally) error {
	for {
		n, err := reader.Read(block)
		tally.Block(block[:n])
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
