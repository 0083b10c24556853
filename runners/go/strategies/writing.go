package strategies

import (
	"os"

	"iogauge/runners/go/consume"
)

const (
	truncate  = "truncate"
	appending = "append"

	notDurable = "none"
	fsync      = "fsync"
	fdatasync  = "fdatasync"
	dsync      = "dsync"
)

// permissions of a new file, before the umask: those that os.Create uses.
const permissions = 0o666

var bothModes = []string{truncate, appending}

// writing returns the operation that opens the file as the setup says, has write hand over the whole payload, makes it
// durable as the setup says, and closes it. The first error counts; one of Close too, as some file systems tell only
// there that they could not store what they had accepted.
func writing(setup Setup, write func(*os.File) error) Operation {
	flags := os.O_WRONLY | os.O_CREATE
	if setup.Mode == appending {
		flags |= os.O_APPEND
	} else {
		flags |= os.O_TRUNC
	}
	return writingWith(flags, setup, write)
}

// writingWith does the same with other flags.
func writingWith(flags int, setup Setup, write func(*os.File) error) Operation {
	if setup.Durability == dsync {
		flags |= dsyncFlag
	}
	return func(path string, tally *consume.Tally) (err error) {
		file, err := os.OpenFile(path, flags, permissions)
		if err != nil {
			return err
		}
		defer func() {
			if failed := file.Close(); failed != nil && err == nil {
				err = failed
			}
		}()
		if err := write(file); err != nil {
			return err
		}
		tally.Written(len(setup.Payload))
		switch setup.Durability {
		case fsync:
			return file.Sync()
		case fdatasync:
			return syncData(file)
		}
		return nil
	}
}
