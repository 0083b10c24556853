package strategies

import (
	"os"

	"golang.org/x/sys/unix"
)

// dsyncFlag opens a file so that each write returns only when it is durable.
const dsyncFlag = unix.O_DSYNC

var everyDurability = []string{notDurable, fsync, fdatasync, dsync}

// syncData makes the data durable, and of the file's properties only what is needed to read them.
func syncData(file *os.File) error {
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) {
		for failed = unix.EINTR; failed == unix.EINTR; {
			failed = unix.Fdatasync(int(fd))
		}
	})
	if err != nil { // there is no other reason
		failed = os.ErrClosed
	}
	if failed != nil {
		return &os.PathError{Op: "fdatasync", Path: file.Name(), Err: failed}
	}
	return nil
}
