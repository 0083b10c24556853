package strategies

import (
	"bufio"
	"io"
	"os"

	"iogauge/runners/go/consume"
)

func init() {
	register(Strategy{
		Name:        "go/bufio-read-byte",
		Title:       "bufio.NewReaderSize, ReadByte",
		Call:        "bufio.Reader.ReadByte",
		Unit:        "byte",
		Parameters:  map[string]Parameter{"buffer": readerBuffer},
		Buffer:      "new",
		Effort:      2,
		ComputeOnly: "go/consume-byte",
		Open: func(setup Setup) (Operation, error) {
			size := int(setup.Parameters["buffer"])
			return func(path string, tally *consume.Tally) error {
				file, err := os.Open(path)
				if err != nil {
					return err
				}
				defer file.Close()
				reader := bufio.NewReaderSize(file, size)
				for {
					b, err := reader.ReadByte()
					if err == io.EOF {
						return nil
					}
					if err != nil {
						return err
					}
					tally.Byte(b)
				}
			}, nil
		},
	})
}
