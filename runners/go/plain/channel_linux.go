package plain

import (
	"fmt"
	"os"
	"syscall"

	"iogauge/runners/go/harness"
)

// requests and replies are the channel to the host. They are moved out of the way before the user's package begins, so that what it prints
// goes to the log, and nothing that reads standard input takes a request.
var requests, replies = moved(0, "/dev/null"), moved(1, "")

// moved returns the file of a standard descriptor under another number. In its place is the file at the path, or standard error.
func moved(fd int, otherwise string) *os.File {
	other, err := syscall.Dup(fd)
	if err == nil {
		syscall.CloseOnExec(other)
		instead := 2
		if otherwise != "" {
			instead, err = syscall.Open(otherwise, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		}
		if err == nil {
			err = syscall.Dup3(instead, fd, 0)
		}
		if err == nil && otherwise != "" {
			err = syscall.Close(instead)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "iogauge-runner: a descriptor cannot be moved:", err)
		os.Exit(1)
	}
	return os.NewFile(uintptr(other), "channel")
}

// Main talks to the host until that ends, and ends the process.
func Main() {
	if err := harness.Serve(requests, replies); err != nil {
		fmt.Fprintln(os.Stderr, "iogauge-runner:", err)
		os.Exit(1)
	}
	os.Exit(0)
}
