package strategies

import (
	"io"
	"os"
)

func init() {
	register(Strategy{
		Name:         "go/file-write",
		Title:        "os.File.Write",
		Call:         "os.File.Write",
		Operation:    "write",
		Modes:        bothModes,
		Durabilities: everyDurability,
		Parameters:   map[string]Parameter{"block": writeBlock},
		Buffer:       "reused",
		Effort:       2,
		Open: func(setup Setup) (Operation, error) {
			block := int(setup.Parameters["block"])
			return writing(setup, func(file *os.File) error {
				return writeBlocks(file, setup.Payload, block)
			}), nil
		},
	})
}

// writeBlocks hands over the data, one Write of a block after the other; the last may be shorter.
func writeBlocks(writer io.Writer, data []byte, block int) error {
	for len(data) > 0 {
		n, err := writer.Write(data[:min(block, len(data))])
		if err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}
