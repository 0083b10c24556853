package reader

import "golang.org/x/sys/windows"

// SizeOnWindows is not for here.
func SizeOnWindows(path string) (int, error) { return windows.Getpid(path) }
