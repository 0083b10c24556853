package strategies

import (
	"bufio"
	"os"

	"iogauge/runners/go/consume"
)

func init() {
	register(Strategy{
		Name:       "go/bufio-scanner-bytes",
		Title:      "bufio.Scanner, Scan and Bytes: no copy of a line",
		Call:       "bufio.Scanner.Bytes",
		Unit:       "line",
		Sums:       "line-byte",
		Consumes:   lineKinds,
		Parameters: map[string]Parameter{"buffer": scannerBuffer},
		Buffer:     "new",
		TripsOn:    finalReturn,
		Data:       "borrowed",
		Effort:     2,
		Open: func(setup Setup) (Operation, error) {
			size := int(setup.Parameters["buffer"])
			return func(path string, tally *consume.Tally) error {
				file, err := os.Open(path)
				if err != nil {
					return err
				}
				defer file.Close()
				scanner := bufio.NewScanner(file)
				scanner.Buffer(make([]byte, size), longestLine)
				for scanner.Scan() {
					tally.LineBytes(scanner.Bytes())
				}
				return scanner.Err()
			}, nil
		},
	})
}
