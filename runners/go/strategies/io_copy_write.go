package strategies

import (
	"bytes"
	"io"
	"os"
)

func init() {
	register(Strategy{
		Name:         "go/io-copy-write",
		Title:        "io.Copy into the file",
		Call:         "io.Copy",
		Operation:    "write",
		Unit:         "file",
		Modes:        bothModes,
		Durabilities: everyDurability,
		Buffer:       "new",
		Effort:       1,
		Open: func(setup Setup) (Operation, error) {
			return writing(setup, func(file *os.File) error {
				// Most sources are only readers. A bytes.Reader is a WriterTo as well, which would write all at once and copy nothing.
				source := struct{ io.Reader }{bytes.NewReader(setup.Payload)}
				_, err := io.Copy(file, source)
				return err
			}), nil
		},
	})
}
