package strategies

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strings"

	"iogauge/runners/go/consume"
)

func init() {
	register(Strategy{
		Name:        "go/bufio-reader-line",
		Title:       "bufio.NewReaderSize, ReadString",
		Call:        "bufio.Reader.ReadString",
		Unit:        "line",
		Sums:        "line-byte",
		Consumes:    lineKinds,
		Parameters:  map[string]Parameter{"buffer": readerBuffer},
		Buffer:      "new",
		TripsOn:     finalReturn,
		Effort:      2,
		ComputeOnly: "go/read-string-lines",
		Open: func(setup Setup) (Operation, error) {
			size := int(setup.Parameters["buffer"])
			return func(path string, tally *consume.Tally) error {
				file, err := os.Open(path)
				if err != nil {
					return err
				}
				defer file.Close()
				return readLines(bufio.NewReaderSize(file, size), tally)
			}, nil
		},
	})
	register(Strategy{
		Name:       "go/read-string-lines",
		Title:      "bufio.Reader.ReadString over memory",
		Call:       "bufio.Reader.ReadString, in memory",
		Unit:       "line",
		Medium:     "memory",
		Sums:       "line-byte",
		Consumes:   lineKinds,
		Parameters: map[string]Parameter{"buffer": readerBuffer},
		Effort:     2,
		Role:       "compute_only",
		Open: func(setup Setup) (Operation, error) {
			size := int(setup.Parameters["buffer"])
			return func(_ string, tally *consume.Tally) error {
				return readLines(bufio.NewReaderSize(bytes.NewReader(setup.Payload), size), tally)
			}, nil
		},
	})
}

// readLines reads to the end of the data, each line as a string, and cuts off its end as a Scanner does.
func readLines(reader *bufio.Reader, tally *consume.Tally) error {
	for {
		line, err := reader.ReadString('\n')
		if err != nil && err != io.EOF {
			return err
		}
		if line != "" { // what follows the last end of a line is one only if there is something
			tally.Line(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
		}
		if err == io.EOF {
			return nil
		}
	}
}
