package strategies

import (
	"bufio"
	"os"

	"iogauge/runners/go/consume"
)

func init() {
	register(Strategy{
		Name:        "go/bufio-read",
		Title:       "bufio.NewReaderSize, Read",
		Call:        "bufio.Reader.Read",
		Parameters:  map[string]Parameter{"block": readBlock, "buffer": readerBuffer},
		Buffer:      "new",
		Effort:      2,
		ComputeOnly: "go/consume-array",
		Open: func(setup Setup) (Operation, error) {
			block := make([]byte, setup.Parameters["block"])
			size := int(setup.Parameters["buffer"])
			return func(path string, tally *consume.Tally) error {
				file, err := os.Open(path)
				if err != nil {
					return err
				}
				defer file.Close()
				return readBlocks(bufio.NewReaderSize(file, size), block, tally)
			}, nil
		},
	})
}
