package strategies

import (
	"bufio"
	"os"
)

func init() {
	register(Strategy{
		Name:         "go/bufio-write",
		Title:        "bufio.NewWriterSize, Write",
		Call:         "bufio.Writer.Write",
		Operation:    "write",
		Modes:        bothModes,
		Durabilities: everyDurability,
		Parameters:   map[string]Parameter{"block": writeBlock, "buffer": writerBuffer},
		Buffer:       "new",
		Effort:       2,
		Open: func(setup Setup) (Operation, error) {
			block, size := int(setup.Parameters["block"]), int(setup.Parameters["buffer"])
			return writing(setup, func(file *os.File) error {
				writer := bufio.NewWriterSize(file, size)
				if err := writeBlocks(writer, setup.Payload, block); err != nil {
					return err
				}
				return writer.Flush()
			}), nil
		},
	})
}
