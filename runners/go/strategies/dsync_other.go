//go:build !linux

package strategies

// dsyncFlag changes nothing: not every system has such a flag, so dsync is not offered.
const dsyncFlag = 0

var everyDurability = []string{notDurable, fsync}
