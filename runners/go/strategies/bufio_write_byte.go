package strategies

import (
	"bufio"
	"os"
)

func init() {
	register(Strategy{
		Name:         "go/bufio-write-byte",
		Title:        "bufio.NewWriterSize, WriteByte",
		Call:         "bufio.Writer.WriteByte",
		Operation:    "write",
		Unit:         "byte",
		Modes:        bothModes,
		Durabilities: everyDurability,
		Parameters:   map[string]Parameter{"buffer": writerBuffer},
		Buffer:       "new",
		Effort:       2,
		Open: func(setup Setup) (Operation, error) {
			size := int(setup.Parameters["buffer"])
			return writing(setup, func(file *os.File) error {
				writer := bufio.NewWriterSize(file, size)
				for _, b := range setup.Payload {
					if err := writer.WriteByte(b); err != nil {
						return err
					}
				}
				return writer.Flush()
			}), nil
		},
	})
}
