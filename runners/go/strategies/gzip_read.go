package strategies

import (
	"bufio"
	"compress/gzip"
	"io"
	"os"

	"iogauge/runners/go/consume"
)

func init() {
	// gzip.Reader puts a bufio.Reader of 4096 bytes in front of what reads no single bytes, as a file.
	register(gzipBlocks("go/gzip-read", "gzip.NewReader over os.Open, Read", "gzip.Reader.Read", nil,
		func(file *os.File, _ Setup) io.Reader { return file }))
	register(gzipBlocks("go/gzip-bufio-read", "gzip.NewReader over bufio.NewReaderSize, Read", "gzip.Reader over bufio.Reader",
		&readerBuffer,
		func(file *os.File, setup Setup) io.Reader {
			return bufio.NewReaderSize(file, int(setup.Parameters["buffer"]))
		}))
	register(Strategy{
		Name:        "go/gzip-scanner-line",
		Title:       "bufio.Scanner over gzip.NewReader, Scan and Text",
		Call:        "bufio.Scanner over gzip.Reader",
		Unit:        "line",
		Sums:        "line-byte",
		Consumes:    lineKinds,
		Format:      "gzip",
		Parameters:  map[string]Parameter{"buffer": scannerBuffer},
		Buffer:      "new",
		TripsOn:     append(finalReturn, behindMembers...),
		Effort:      2,
		ComputeOnly: "go/scan-lines",
		Open: func(setup Setup) (Operation, error) {
			size := int(setup.Parameters["buffer"])
			return unpacking(func(file *os.File) io.Reader { return file }, func(in io.Reader, tally *consume.Tally) error {
				return scanLines(in, size, tally)
			}), nil
		},
	})
}

// behindMembers is what gzip.Reader takes for another member, with a wrong header.
var behindMembers = []string{"trailing-data", "trailing-zeros"}

// gzipBlocks declares a strategy that unpacks block by block what `over` makes of the file.
func gzipBlocks(name, title, call string, buffer *Parameter, over func(*os.File, Setup) io.Reader) Strategy {
	parameters := map[string]Parameter{"block": readBlock}
	if buffer != nil {
		parameters["buffer"] = *buffer
	}
	return Strategy{
		Name:        name,
		Title:       title,
		Call:        call,
		Format:      "gzip",
		Parameters:  parameters,
		Buffer:      "new",
		TripsOn:     behindMembers,
		Effort:      2,
		ComputeOnly: "go/consume-array",
		Open: func(setup Setup) (Operation, error) {
			block := make([]byte, setup.Parameters["block"])
			return unpacking(func(file *os.File) io.Reader { return over(file, setup) }, func(in io.Reader, tally *consume.Tally) error {
				return readBlocks(in, block, tally)
			}), nil
		},
	}
}

// unpacking opens the file, and reads through a gzip.Reader over what `over` makes of it.
func unpacking(over func(*os.File) io.Reader, read func(io.Reader, *consume.Tally) error) Operation {
	return func(path string, tally *consume.Tally) error {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		in, err := gzip.NewReader(over(file))
		if err != nil {
			return err
		}
		defer in.Close()
		return read(in, tally)
	}
}
