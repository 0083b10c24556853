package strategies

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func init() {
	register(Strategy{
		Name:         "go/file-write-preallocated",
		Title:        "os.File.Write after unix.Fallocate",
		Call:         "os.File.Write after Fallocate",
		Operation:    "write",
		Modes:        []string{truncate},
		Durabilities: everyDurability,
		Parameters:   map[string]Parameter{"block": writeBlock},
		Buffer:       "reused",
		Effort:       4,
		Open: func(setup Setup) (Operation, error) {
			block := int(setup.Parameters["block"])
			return writing(setup, func(file *os.File) error {
				if len(setup.Payload) > 0 {
					if err := fallocate(file, 0, 0, int64(len(setup.Payload))); err != nil {
						return err
					}
				}
				return writeBlocks(file, setup.Payload, block)
			}), nil
		},
	})
	register(Strategy{
		Name:         "go/append-preallocated",
		Title:        "os.File.Write into blocks that Fallocate gave ahead",
		Call:         "os.File.Write, Fallocate ahead",
		Operation:    "write",
		Modes:        []string{appending},
		Durabilities: everyDurability,
		Parameters:   map[string]Parameter{"block": writeBlock, "ahead": allocatedAhead},
		Buffer:       "reused",
		Effort:       4,
		Open: func(setup Setup) (Operation, error) {
			block, ahead := int(setup.Parameters["block"]), setup.Parameters["ahead"]
			return writing(setup, func(file *os.File) error {
				if err := preallocateAhead(file, int64(len(setup.Payload)), ahead); err != nil {
					return err
				}
				return writeBlocks(file, setup.Payload, block)
			}), nil
		},
	})
}

var allocatedAhead = Parameter{Default: 1 << 20, Min: 4096, Max: 1 << 30, Unit: "bytes", Role: "other",
	Says: "bytes for which blocks are had at once, behind the end of the file"}

const sector = 512 // the unit in which a file tells its blocks

// preallocateAhead makes sure that the file has blocks for so many bytes more. Its size stays.
func preallocateAhead(file *os.File, more, ahead int64) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	end := info.Size() + more
	if info.Sys().(*syscall.Stat_t).Blocks*sector >= end {
		return nil
	}
	return fallocate(file, unix.FALLOC_FL_KEEP_SIZE, info.Size(), max(ahead, more))
}

func fallocate(file *os.File, mode uint32, offset, length int64) error {
	if err := unix.Fallocate(int(file.Fd()), mode, offset, length); err != nil {
		return &fs.PathError{Op: "fallocate", Path: file.Name(), Err: err}
	}
	return nil
}
