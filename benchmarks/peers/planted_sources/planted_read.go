package strategies

import (
	"io"
	"os"

	"iogauge/runners/go/consume"
)

// This strategy does what go/file-read does, and can be made slower by a known amount of the same work.
func init() {
	register(Strategy{
		Name:  "go/planted-read",
		Title: "os.File.Read, with a planted slow-down",
		Call:  "os.File.Read, planted",
		Parameters: map[string]Parameter{
			"block": readBlock,
			"extra": {Max: 1 << 30, Unit: "bytes", Role: "other", Says: "bytes of the file that are read twice, at most all"},
			"label": {Max: 1000, Unit: "count", Role: "other", Says: "does nothing: tells cases of equal code apart"},
		},
		Buffer:      "reused",
		Effort:      2,
		ComputeOnly: "go/consume-array",
		Open: func(setup Setup) (Operation, error) {
			block := make([]byte, setup.Parameters["block"])
			extra := int(setup.Parameters["extra"])
			return func(path string, tally *consume.Tally) error {
				file, err := os.Open(path)
				if err != nil {
					return err
				}
				defer file.Close()
				if extra > 0 {
					if err := readAndReturn(file, block, extra); err != nil {
						return err
					}
				}
				return readBlocks(file, block, tally)
			}, nil
		},
	})
}

// readAndReturn reads so many bytes in blocks, consumes nothing of them, and goes back to the beginning.
func readAndReturn(file *os.File, block []byte, extra int) error {
	for extra > 0 {
		n, err := file.Read(block[:min(len(block), extra)])
		extra -= n
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	_, err := file.Seek(0, io.SeekStart)
	return err
}
