package harness

import (
	"runtime"
	"runtime/metrics"
)

// A meter tells what the runtime counts of each span, and of the whole request what only the whole tells exactly.
//
// What was allocated is exact in runtime.ReadMemStats, which stops the world: beside each span of 2 ms that doubled the
// switches between threads. So it is done once before all spans and once after them. In between stands the metric
// /gc/heap/allocs:bytes, which stops nothing, but sees small objects only when a span of memory of some KiB is full: it
// told 0 for operations that allocate a few hundred bytes. What it has not seen is spread evenly over the spans, which
// have equally many operations. All goroutines are counted; only the measuring one is at work.
//
// The time of the collector is the CPU time that runtime/metrics reports for it: marking by dedicated workers and by
// allocating goroutines, and pauses × GOMAXPROCS. Pauses alone would hide most of what a concurrent collector takes. Left
// out is marking on processors that had nothing else to do. The runtime adds to these at the end of a collection, so
// they belong to the collections that are counted. It may exceed the span, several processors working at once.
type meter struct {
	exact         runtime.MemStats
	before, after [4]metrics.Sample
}

// newMeter begins a request.
func newMeter() *meter {
	m := &meter{}
	for _, each := range []*[4]metrics.Sample{&m.before, &m.after} {
		each[0].Name = "/gc/heap/allocs:bytes"
		each[1].Name = "/gc/cycles/total:gc-cycles"
		each[2].Name = "/cpu/classes/gc/total:cpu-seconds"
		each[3].Name = "/cpu/classes/gc/mark/idle:cpu-seconds"
		metrics.Read(each[:]) // the first one allocates
	}
	runtime.ReadMemStats(&m.exact)
	return m
}

func (m *meter) beginSpan() { metrics.Read(m.before[:]) }

// endSpan puts what was counted since beginSpan into the counters of a span.
func (m *meter) endSpan(to *counters, span int) {
	metrics.Read(m.after[:])
	to.AllocatedBytes[span] = int64(m.after[0].Value.Uint64() - m.before[0].Value.Uint64())
	to.GCCount[span] = int64(m.after[1].Value.Uint64() - m.before[1].Value.Uint64())
	to.GCNs[span] = collectorNs(&m.after) - collectorNs(&m.before)
}

// endRequest spreads what was allocated and not seen over the spans, which have equally many operations each.
func (m *meter) endRequest(to *counters) {
	began := m.exact.TotalAlloc
	runtime.ReadMemStats(&m.exact)
	unseen := int64(m.exact.TotalAlloc - began)
	for _, each := range to.AllocatedBytes {
		unseen -= each
	}
	spread(unseen, to.AllocatedBytes)
}

// spread adds a total to values, each the same share but for the rounding.
func spread(total int64, over []int64) {
	n := int64(len(over))
	for i := range over {
		over[i] += total*(int64(i)+1)/n - total*int64(i)/n
	}
}

func collectorNs(of *[4]metrics.Sample) int64 {
	return int64(1e9 * (of[2].Value.Float64() - of[3].Value.Float64()))
}
