//go:build !linux

package strategies

import "os"

// dsyncFlag changes nothing: not every system has such a flag, so dsync is not offered.
const dsyncFlag = 0

var everyDurability = []string{notDurable, fsync}

// syncData is never called: fdatasync is not offered either.
func syncData(file *os.File) error { return file.Sync() }
