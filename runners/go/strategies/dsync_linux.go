package strategies

import "syscall"

// dsyncFlag opens a file so that each write returns only when it is durable.
const dsyncFlag = syscall.O_DSYNC

var everyDurability = []string{notDurable, fsync, dsync}
