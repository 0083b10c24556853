package strategies

import (
	"bufio"
	"bytes"
	"io"
	"os"

	"iogauge/runners/go/consume"
)

func init() {
	register(Strategy{
		Name:        "go/bufio-scanner-line",
		Title:       "bufio.Scanner, Scan and Text",
		Call:        "bufio.Scanner",
		Unit:        "line",
		Sums:        "line-byte",
		Consumes:    lineKinds,
		Parameters:  map[string]Parameter{"buffer": scannerBuffer},
		Buffer:      "new",
		TripsOn:     finalReturn,
		Effort:      2,
		ComputeOnly: "go/scan-lines",
		Open: func(setup Setup) (Operation, error) {
			size := int(setup.Parameters["buffer"])
			return func(path string, tally *consume.Tally) error {
				file, err := os.Open(path)
				if err != nil {
					return err
				}
				defer file.Close()
				return scanLines(file, size, tally)
			}, nil
		},
	})
	register(Strategy{
		Name:       "go/scan-lines",
		Title:      "bufio.Scanner over memory",
		Call:       "bufio.Scanner, in memory",
		Unit:       "line",
		Medium:     "memory",
		Sums:       "line-byte",
		Consumes:   lineKinds,
		Parameters: map[string]Parameter{"buffer": scannerBuffer},
		Effort:     2,
		Role:       "compute_only",
		Open: func(setup Setup) (Operation, error) {
			size := int(setup.Parameters["buffer"])
			return func(_ string, tally *consume.Tally) error {
				return scanLines(bytes.NewReader(setup.Payload), size, tally)
			}, nil
		},
	})
}

// finalReturn is what cuts a carriage return off the last line, too, behind which no line feed is.
var finalReturn = []string{"final-cr"}

// lineKinds are the kinds of consume that lines allow.
var lineKinds = []consume.Kind{consume.None, consume.Sum}

// longestLine is the most that a Scanner here will hold of a line, in bytes with its end. By itself it gives up at
// bufio.MaxScanTokenSize, 64 KiB, and programs that may meet longer lines raise that.
const longestLine = 1 << 30

var scannerBuffer = Parameter{Default: 4096, Min: 1, Max: longestLine, Unit: "bytes", Role: "buffer",
	Says: "bytes of Scanner's first buffer (4096 unless it is given one); it doubles until a line fits, up to 1 GiB"}

// scanLines reads to the end of the data, each line as a string of its own.
func scanLines(reader io.Reader, size int, tally *consume.Tally) error {
	scanner := bufio.NewScanner(reader)
	scanner.Buffer(make([]byte, size), longestLine)
	for scanner.Scan() {
		tally.Line(scanner.Text())
	}
	return scanner.Err()
}
