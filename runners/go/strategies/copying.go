package strategies

import (
	"io"
	"os"

	"iogauge/runners/go/consume"
)

func init() {
	register(copies(Strategy{
		Name:   "go/io-copy",
		Title:  "io.Copy from os.File to os.File",
		Call:   "io.Copy",
		Unit:   "file",
		Buffer: "none",
		Effort: 1,
		Open: func(setup Setup) (Operation, error) {
			return copying(setup, io.Copy), nil
		},
	}))
	register(copies(Strategy{
		Name:       "go/copy-blocks",
		Title:      "os.File.Read and os.File.Write",
		Call:       "os.File.Read and Write",
		Parameters: map[string]Parameter{"block": piece("bytes of the slice that is read into and written from")},
		Buffer:     "reused",
		Effort:     2,
		Open: func(setup Setup) (Operation, error) {
			block := make([]byte, setup.Parameters["block"])
			return copying(setup, func(to io.Writer, from io.Reader) (int64, error) {
				var moved int64
				for {
					n, err := from.Read(block)
					if err == io.EOF {
						return moved, nil
					}
					if err != nil {
						return moved, err
					}
					if _, err := to.Write(block[:n]); err != nil {
						return moved, err
					}
					moved += int64(n)
				}
			}), nil
		},
	}))
	register(copies(Strategy{
		Name:   "go/read-file-write-file",
		Title:  "os.ReadFile, os.WriteFile",
		Call:   "os.ReadFile, os.WriteFile",
		Unit:   "file",
		Buffer: "new",
		Effort: 1,
		Needs:  Needs{MemoryPerFileByte: 1},
		Open: func(setup Setup) (Operation, error) {
			return func(path string, tally *consume.Tally) error {
				data, err := os.ReadFile(setup.Source)
				if err != nil {
					return err
				}
				tally.Written(len(data))
				return os.WriteFile(path, data, permissions)
			}, nil
		},
	}))
}

// copies completes the declaration of a strategy that copies a file into a new one.
func copies(s Strategy) Strategy {
	s.Operation = "copy"
	s.Modes, s.Durabilities = []string{truncate}, []string{notDurable}
	return s
}

// copying returns the operation that opens both files, has all bytes moved, and closes both.
func copying(setup Setup, move func(to io.Writer, from io.Reader) (int64, error)) Operation {
	return func(path string, tally *consume.Tally) error {
		from, err := os.Open(setup.Source)
		if err != nil {
			return err
		}
		defer from.Close()
		to, err := os.Create(path)
		if err != nil {
			return err
		}
		moved, err := move(to, from)
		tally.Written(int(moved))
		if failed := to.Close(); err == nil {
			err = failed
		}
		return err
	}
}
