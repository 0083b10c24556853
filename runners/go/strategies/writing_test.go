//go:build linux

package strategies

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"iogauge/runners/go/consume"
)

func TestFlagsOfTheOpenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, mode := range bothModes {
		for _, durability := range everyDurability {
			err := writing(Setup{Mode: mode, Durability: durability}, func(file *os.File) error {
				flags, err := unix.FcntlInt(file.Fd(), unix.F_GETFL, 0)
				if appends := flags&unix.O_APPEND != 0; appends != (mode == appending) {
					t.Errorf("%s: O_APPEND is %t", mode, appends)
				}
				if synchronous := flags&unix.O_DSYNC != 0; synchronous != (durability == dsync) {
					t.Errorf("%s: O_DSYNC is %t", durability, synchronous)
				}
				return err
			})(path, consume.NewTally(consume.None))
			if err != nil {
				t.Error(err)
			}
		}
	}
}

func TestErrorsOfWriting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	broken := errors.New("broken")
	fails := func(*os.File) error { return broken }
	closes := func(file *os.File) error { return file.Close() } // so that the operation's own Close fails
	for _, durability := range everyDurability {
		for _, c := range []struct {
			write func(*os.File) error
			want  error
		}{{fails, broken}, {closes, os.ErrClosed}} {
			err := writing(Setup{Mode: truncate, Durability: durability}, c.write)(path, consume.NewTally(consume.None))
			if !errors.Is(err, c.want) {
				t.Errorf("%s: error %v, not %v", durability, err, c.want)
			}
		}
	}
}
