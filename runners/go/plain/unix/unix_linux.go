// Package unix has of golang.org/x/sys/unix what the strategies use, by the standard library alone: where the runner is a part of the user's
// own module, that has no other.
package unix

import "syscall"

const (
	EINTR               = syscall.EINTR
	FALLOC_FL_KEEP_SIZE = 1
	F_GETFL             = syscall.F_GETFL
	MAP_SHARED          = syscall.MAP_SHARED
	O_APPEND            = syscall.O_APPEND
	O_DSYNC             = syscall.O_DSYNC
	PROT_READ           = syscall.PROT_READ
)

func Mmap(fd int, offset int64, length int, protection int, flags int) ([]byte, error) {
	return syscall.Mmap(fd, offset, length, protection, flags)
}

func Munmap(data []byte) error { return syscall.Munmap(data) }

func Fallocate(fd int, mode uint32, offset, length int64) error {
	return syscall.Fallocate(fd, mode, offset, length)
}

func Fdatasync(fd int) error { return syscall.Fdatasync(fd) }
