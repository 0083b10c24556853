//go:build unix

package strategies

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"iogauge/runners/go/consume"
)

func init() {
	register(Strategy{
		Name:        "go/mmap",
		Title:       "unix.Mmap of the whole file",
		Call:        "unix.Mmap",
		Unit:        "file",
		Consumes:    []consume.Kind{consume.Touch, consume.Sum},
		Mapped:      true,
		Buffer:      "none",
		Data:        "borrowed",
		Effort:      4,
		ComputeOnly: "go/consume-array",
		Open: func(Setup) (Operation, error) {
			return func(path string, tally *consume.Tally) error {
				return mapped(path, func(data []byte) error {
					tally.Block(data)
					return nil
				})
			}, nil
		},
	})
}

// mapped gives use the whole file as long as it is mapped, unless it is empty.
func mapped(path string, use func([]byte) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() { // directories and devices may claim to be empty
		return &fs.PathError{Op: "mmap", Path: path, Err: errors.New("is not a regular file")}
	}
	if info.Size() == 0 { // which mmap refuses
		return nil
	}
	return mapPart(file, 0, int(info.Size()), use)
}

// mapPart gives use a part of the file as long as it is mapped.
func mapPart(file *os.File, offset int64, length int, use func([]byte) error) (err error) {
	data, err := unix.Mmap(int(file.Fd()), offset, length, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return &fs.PathError{Op: "mmap", Path: file.Name(), Err: err}
	}
	// Deferred, since touching a page that the file has lost panics.
	defer func() {
		if failed := unix.Munmap(data); failed != nil && err == nil {
			err = &fs.PathError{Op: "munmap", Path: file.Name(), Err: failed}
		}
	}()
	return use(data)
}
