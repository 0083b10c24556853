package harness

import (
	"os"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"testing"
)

var kept []byte

// stops returns how often the world was stopped for something else than a collection.
func stops(t *testing.T) (count uint64) {
	found := []metrics.Sample{{Name: "/sched/pauses/total/other:seconds"}}
	metrics.Read(found)
	if found[0].Value.Kind() == metrics.KindBad {
		t.Skip("this Go does not count them")
	}
	for _, each := range found[0].Value.Float64Histogram().Counts {
		count += each
	}
	return count
}

func TestSmallAllocationsAreToldExactlyOverARequest(t *testing.T) {
	const spans, operations = 7, 10
	to := counters{make([]int64, spans), make([]int64, spans), make([]int64, spans)}
	meter := newMeter()
	for span := 0; span < spans; span++ {
		meter.beginSpan()
		for i := 0; i < operations; i++ {
			kept = make([]byte, 300) // 320 bytes of memory
		}
		meter.endSpan(&to, span)
	}
	meter.endRequest(&to)
	var total int64
	for span, each := range to.AllocatedBytes {
		total += each
		if each < 0 {
			t.Errorf("span %d allocated %d", span, each)
		}
	}
	if due := int64(spans * operations * 320); total < due || total > due+1024 {
		t.Errorf("%d bytes in all, not %d", total, due)
	}
}

func TestALargeAllocationBelongsToItsSpan(t *testing.T) {
	to := counters{make([]int64, 3), make([]int64, 3), make([]int64, 3)}
	meter := newMeter()
	for span := 0; span < 3; span++ {
		meter.beginSpan()
		if span == 1 {
			kept = make([]byte, 1<<20)
		}
		meter.endSpan(&to, span)
	}
	meter.endRequest(&to)
	if to.AllocatedBytes[1] < 1<<20 || to.AllocatedBytes[0] > 1024 || to.AllocatedBytes[2] > 1024 {
		t.Errorf("1 MiB of the second span is in %v", to.AllocatedBytes)
	}
}

func TestSpreadKeepsTheTotal(t *testing.T) {
	values := []int64{1, 2, 3}
	spread(10, values)
	if values[0]+values[1]+values[2] != 16 || values[0] < 4 || values[2] > 7 {
		t.Error(values)
	}
}

// It wakes threads on other processors, which is not what an operation does.
func TestTheWorldIsStoppedTwicePerRequestHoweverManySpansItHas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(strings.Repeat("x", 4096)), 0o600); err != nil {
		t.Fatal(err)
	}
	before := stops(t)
	replies := ask(t, open("go/file-read", `{"block": 4096}`, "touch"), sample("2", "100", path))
	if replies[1]["error"] != nil {
		t.Fatal(replies[1])
	}
	if seen := stops(t) - before; seen != 2 {
		t.Errorf("%d stops, not 2", seen)
	}
}
