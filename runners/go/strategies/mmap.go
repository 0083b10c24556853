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
		Name:       "go/mmap",
		Title:      "unix.Mmap of the whole file",
		Call:       "unix.Mmap",
		Operation:  "read",
		Unit:       "file",
		Medium:     "file",
		Sums:       "byte",
		Consumes:   []consume.Kind{consume.Touch, consume.Sum},
		Parameters: noParameters,
		Mapped:     true,
		Buffer:     "none",
		Data:       "borrowed",
		Effort:     4,
		Role:       "contestant",
		Companion:  "go/consume-array",
		Open: func(Setup) (Operation, error) {
			return mapFile, nil
		},
	})
}

func mapFile(path string, tally *consume.Tally) (err error) {
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
	data, err := unix.Mmap(int(file.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return &fs.PathError{Op: "mmap", Path: path, Err: err}
	}
	// Deferred, since touching a page that the file has lost panics.
	defer func() {
		if failed := unix.Munmap(data); failed != nil && err == nil {
			err = &fs.PathError{Op: "munmap", Path: path, Err: failed}
		}
	}()
	tally.Block(data)
	return nil
}
