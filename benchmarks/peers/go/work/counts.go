package work

import (
	"runtime/metrics"
	"syscall"
)

// Counts are what the runtime and the kernel have counted of this process so far.
type Counts struct {
	Collections uint64
	Switches    int64 // of its threads, to others or to nobody
	Faults      int64 // of its memory: pages that were not there, or not any more
}

// Count stops nothing, as runtime.ReadMemStats would.
func Count() Counts {
	cycles := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(cycles)
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // fails for other arguments only
	return Counts{cycles[0].Value.Uint64(), usage.Nvcsw + usage.Nivcsw, usage.Minflt}
}

// Less returns what has come since the earlier counts.
func (c Counts) Less(earlier Counts) Counts {
	return Counts{c.Collections - earlier.Collections, c.Switches - earlier.Switches, c.Faults - earlier.Faults}
}
