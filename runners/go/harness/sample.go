package harness

import (
	"errors"
	"fmt"
	"io/fs"

	"iogauge/runners/go/consume"
)

type spans struct {
	Verb       string   `json:"verb"`
	Ns         []int64  `json:"ns"`
	Operations []int64  `json:"operations"`
	Count      []int64  `json:"count"`
	Sum        []int64  `json:"sum"` // nil, null on the wire, where nothing was consumed
	Counters   counters `json:"counters"`
}

// counters holds what the runtime tells about each span.
type counters struct {
	AllocatedBytes []int64 `json:"allocated_bytes"`
	GCNs           []int64 `json:"gc_ns"`
	GCCount        []int64 `json:"gc_count"`
}

// Limits of a request, so that a mistaken one is refused instead of running for ever or out of memory.
const (
	mostOperations = 1 << 40
	mostSpans      = 1 << 20
)

// sample times spans of operations, one after another.
func (s *session) sample(r *request) (any, error) {
	switch {
	case s.operation == nil:
		return nil, errors.New("sample before open: no strategy is open")
	case r.Operations < 1 || r.Operations > mostOperations:
		return nil, fmt.Errorf("operations must be an integer from 1 to %d, not %d", int64(mostOperations), r.Operations)
	case r.Spans < 1 || r.Spans > mostSpans:
		return nil, fmt.Errorf("spans must be an integer from 1 to %d, not %d", mostSpans, r.Spans)
	case len(r.Paths) != 1 && int64(len(r.Paths)) != r.Operations*r.Spans:
		return nil, fmt.Errorf("paths must hold 1 path or operations × spans = %d, not %d", r.Operations*r.Spans, len(r.Paths))
	}
	n := int(r.Spans)
	result := spans{
		Verb: "sample", Ns: make([]int64, n), Operations: make([]int64, n), Count: make([]int64, n), Sum: make([]int64, n),
		Counters: counters{make([]int64, n), make([]int64, n), make([]int64, n)},
	}
	tally := consume.NewTally(s.consume)
	paths := r.Paths
	each := 0 // paths per span
	if len(paths) > 1 {
		each = int(r.Operations)
	}
	meter := newMeter()
	for i := 0; i < n; i++ {
		spanPaths := paths[i*each:]
		tally.Reset()
		meter.beginSpan()
		ns, err := s.span(r.Operations, spanPaths, tally)
		if err != nil {
			return nil, err
		}
		meter.endSpan(&result.Counters, i)
		result.Ns[i], result.Operations[i] = ns, r.Operations
		result.Count[i], result.Sum[i] = tally.Count(), tally.Sum()
	}
	meter.endRequest(&result.Counters)
	if s.consume == consume.None {
		result.Sum = s.results(n)
	}
	return result, nil
}

// results are the sums of spans that consumed nothing: nil, or what stands for the last result of a function of the user's.
func (s *session) results(spans int) []int64 {
	if s.told == nil {
		return nil
	}
	number := s.told()
	if number == nil {
		return nil
	}
	same := make([]int64, spans)
	for i := range same {
		same[i] = *number
	}
	return same
}

// span carries out the operations between two readings of the clock and returns the ns between them. It works on the
// first path again and again if there is only one, else on one after the other. A panic of an operation is its error.
func (s *session) span(operations int64, paths []string, tally *consume.Tally) (ns int64, err error) {
	next, step := 0, 0
	if len(paths) > 1 {
		step = 1
	}
	path := paths[0]
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%s: %s: %s", s.name, path, explain(cause))
		}
	}()
	start := clock()
	for ; operations > 0; operations-- {
		path = paths[next]
		next += step
		tally.NextFile()
		if err := s.operation(path, tally); err != nil {
			return 0, s.failed(path, err)
		}
	}
	return clock() - start, nil
}

// failed names the strategy and the path in the error of an operation, which mostly names the path itself.
func (s *session) failed(path string, err error) error {
	var named *fs.PathError
	if errors.As(err, &named) {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return fmt.Errorf("%s: %s: %w", s.name, path, err)
}

// explain says what a panic was about.
func explain(cause any) string {
	if fault, ok := cause.(interface{ Addr() uintptr }); ok {
		return fmt.Sprintf("memory fault at %#x, the file was probably truncated while it was mapped", fault.Addr())
	}
	return fmt.Sprint(cause)
}
