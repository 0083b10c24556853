package harness

import (
	"runtime"
	"runtime/metrics"
)

// reading is what the runtime has counted since the process started.
//
// Allocated bytes come from ReadMemStats, which stops the world for some 10 µs and counts exactly. The metric
// /gc/heap/allocs:bytes does not stop it, but sees small objects only when a span of some KiB is full: it told 0 for
// operations that allocate a few hundred bytes. All goroutines are counted; only the measuring one is at work.
//
// The time of the collector is the CPU time that runtime/metrics reports for it: marking by dedicated workers and by
// allocating goroutines, and pauses × GOMAXPROCS. Pauses alone would hide most of what a concurrent collector takes. Left
// out is marking on processors that had nothing else to do. The runtime adds to these at the end of a collection, so
// they belong to the collections that are counted. It may exceed the span, several processors working at once.
type reading struct {
	memory runtime.MemStats
	gc     [2]metrics.Sample
}

func newReading() *reading {
	return &reading{gc: [...]metrics.Sample{
		{Name: "/cpu/classes/gc/total:cpu-seconds"},
		{Name: "/cpu/classes/gc/mark/idle:cpu-seconds"},
	}}
}

// take replaces the reading by the present one.
func (r *reading) take() {
	metrics.Read(r.gc[:])
	runtime.ReadMemStats(&r.memory)
}

// gcNs returns the collector's CPU time in ns.
func (r *reading) gcNs() int64 {
	return int64(1e9 * (r.gc[0].Value.Float64() - r.gc[1].Value.Float64()))
}
