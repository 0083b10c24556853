//go:build unix

package strategies

import (
	"fmt"
	"io/fs"
	"os"

	"iogauge/runners/go/consume"
)

func init() {
	register(Strategy{
		Name:        "go/mmap-random",
		Title:       "unix.Mmap of the whole file, looked at in place",
		Call:        "unix.Mmap",
		Access:      random,
		Consumes:    []consume.Kind{consume.Touch, consume.Sum},
		Parameters:  map[string]Parameter{"block": mappedBlock},
		Mapped:      true,
		Buffer:      "none",
		Data:        "borrowed",
		Effort:      4,
		ComputeOnly: "go/consume-array",
		Open: func(setup Setup) (Operation, error) {
			block := setup.Parameters["block"]
			return func(path string, tally *consume.Tally) error {
				return mapped(path, func(data []byte) error {
					return piecesOf(path, data, setup.Offsets, block, tally.Block, tally)
				})
			}, nil
		},
	})
	register(Strategy{
		Name:        "go/mmap-random-copy",
		Title:       "unix.Mmap of the whole file, copied into a slice",
		Call:        "unix.Mmap, copied out",
		Access:      random,
		Parameters:  map[string]Parameter{"block": mappedBlock},
		Mapped:      true,
		Buffer:      "reused",
		Effort:      4,
		ComputeOnly: "go/consume-array",
		Open: func(setup Setup) (Operation, error) {
			block := make([]byte, setup.Parameters["block"])
			copied := func(tally *consume.Tally) func([]byte) {
				return func(piece []byte) {
					copy(block, piece)
					tally.Block(block)
				}
			}
			return func(path string, tally *consume.Tally) error {
				return mapped(path, func(data []byte) error {
					return piecesOf(path, data, setup.Offsets, int64(len(block)), copied(tally), tally)
				})
			}, nil
		},
	})
	register(Strategy{
		Name:        "go/mmap-random-each",
		Title:       "unix.Mmap of each piece, then Munmap",
		Call:        "unix.Mmap, a mapping per read",
		Access:      random,
		Consumes:    []consume.Kind{consume.Touch, consume.Sum},
		Parameters:  map[string]Parameter{"block": mappedBlock},
		Mapped:      true,
		Buffer:      "none",
		Data:        "borrowed",
		Effort:      4,
		ComputeOnly: "go/consume-array",
		Open: func(setup Setup) (Operation, error) {
			block, page := int(setup.Parameters["block"]), int64(os.Getpagesize())
			return func(path string, tally *consume.Tally) error {
				file, err := os.Open(path)
				if err != nil {
					return err
				}
				defer file.Close()
				for _, offset := range setup.Offsets {
					before := offset % page // a mapping begins at a page
					err := mapPart(file, offset-before, int(before)+block, func(data []byte) error {
						tally.At(offset)
						tally.Block(data[before:])
						return nil
					})
					if err != nil {
						return err
					}
				}
				return nil
			}, nil
		},
	})
}

var mappedBlock = piece("bytes that are looked at, at each offset")

// piecesOf gives take a block of the mapped data at each offset.
func piecesOf(path string, data []byte, offsets []int64, block int64, take func([]byte), tally *consume.Tally) error {
	for _, offset := range offsets {
		if offset+block > int64(len(data)) {
			return &fs.PathError{Op: "mmap", Path: path, Err: fmt.Errorf("no %d bytes lie at %d", block, offset)}
		}
		tally.At(offset)
		take(data[offset : offset+block])
	}
	return nil
}
