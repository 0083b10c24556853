package strategies

import (
	"io"
	"os"

	"iogauge/runners/go/consume"
)

func init() {
	register(Strategy{
		Name:        "go/read-at-random",
		Title:       "os.File.ReadAt",
		Call:        "os.File.ReadAt",
		Access:      random,
		Parameters:  map[string]Parameter{"block": positionalBlock},
		Buffer:      "reused",
		Effort:      2,
		ComputeOnly: "go/consume-array",
		Open: func(setup Setup) (Operation, error) {
			block := make([]byte, setup.Parameters["block"])
			return func(path string, tally *consume.Tally) error {
				file, err := os.Open(path)
				if err != nil {
					return err
				}
				defer file.Close()
				for _, offset := range setup.Offsets {
					if err := readPiece(file, block, offset, tally); err != nil {
						return err
					}
				}
				return nil
			}, nil
		},
	})
	register(Strategy{
		Name:        "go/read-at-random-new",
		Title:       "os.File.ReadAt into a new slice each time",
		Call:        "os.File.ReadAt, new slice",
		Access:      random,
		Parameters:  map[string]Parameter{"block": positionalBlock},
		Buffer:      "new",
		Effort:      2,
		ComputeOnly: "go/consume-array",
		Open: func(setup Setup) (Operation, error) {
			size := setup.Parameters["block"]
			return func(path string, tally *consume.Tally) error {
				file, err := os.Open(path)
				if err != nil {
					return err
				}
				defer file.Close()
				for _, offset := range setup.Offsets {
					if err := readPiece(file, make([]byte, size), offset, tally); err != nil {
						return err
					}
				}
				return nil
			}, nil
		},
	})
}

var positionalBlock = piece("bytes of the slice that is read at each offset")

// readPiece fills the block with what lies at the offset.
func readPiece(file io.ReaderAt, block []byte, offset int64, tally *consume.Tally) error {
	if n, err := file.ReadAt(block, offset); n < len(block) {
		return err
	}
	tally.At(offset)
	tally.Block(block)
	return nil
}
