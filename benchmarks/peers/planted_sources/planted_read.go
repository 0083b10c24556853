package strategies

import (
	"io"
	"os"

	"iogauge/runners/go/consume"
)

// This strategy does what go/file-read does, and can be made slower by a known amount of the same work.
func init() {
	register(Strategy{
		Name:      "go/planted-read",
		Title:     "os.File.Read, with a planted slow-down",
		Operation: "read",
		Unit:      "block",
		Medium:    "file",
		Sums:      "byte",
		Consumes:  everyKind,
		Parameters: map[string]Parameter{
			"block": readBlock,
			"extra": {Default: 0, Min: 0, Max: 1 << 30, Says: "bytes of the file that are read twice, at most all"},
			"label": {Default: 0, Min: 0, Max: 1000, Says: "does nothing: tells cases of equal code apart"},
		},
		Effort:      2,
		Role:        "contestant",
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
