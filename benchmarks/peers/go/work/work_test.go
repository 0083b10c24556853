package work

import (
	"os"
	"sync"
	"testing"
)

// opened is the work, opened once per process, as a fork of iogauge does it, and a benchmark of JMH: testing calls a benchmark twice per count.
var opened = sync.OnceValues(func() (*Work, error) { return Open(os.Getenv(Variable)) })

// BenchmarkWork measures the work that the environment names. Its name is the same for all work, so that benchstat compares
// whatever two files hold.
func BenchmarkWork(b *testing.B) {
	if os.Getenv(Variable) == "" {
		b.Skip(Variable, "names no work; gobench.py sets it")
	}
	w, err := opened()
	check(b, err)
	check(b, taken.await(b.N))
	if taken.prelude > 0 && taken.are(b.N) {
		repeated(b, w, taken.prelude)
		b.StartTimer()
	}
	b.ResetTimer()
	switch {
	case w.Written != nil && taken.are(b.N):
		halfWritten(b, w)
	case w.Written != nil && taken.unremoved: // a run of one operation would remove a file, and leave its memory to the half that counts
	case w.Written != nil:
		written(b, w)
	case w.DeviceBytes > 0:
		cold(b, w)
	default:
		repeated(b, w, b.N)
	}
	b.StopTimer()
}

// repeated carries out operations that leave nothing behind, one after another, and stops the clock.
func repeated(b *testing.B, w *Work, operations int) {
	for i := 0; i < operations; i++ {
		if err := w.Run(w.Path); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	check(b, w.Check(operations))
}

// cold reads a file that is not in the page cache.
func cold(b *testing.B, w *Work) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		check(b, Evict(w.Path))
		before, err := Fetched()
		check(b, err)
		b.StartTimer()
		err = w.Run(w.Path)
		b.StopTimer()
		check(b, err)
		check(b, w.CheckCold(before))
		check(b, w.Check(1))
		b.StartTimer()
	}
}

// written has each operation write a new file, in batches as large as a request of iogauge's, between which the files are
// removed while the clock stands still.
func written(b *testing.B, w *Work) {
	paths := w.Written.Paths(min(b.N, w.Written.Batch))
	for left := b.N; left > 0; left -= len(paths) {
		paths = paths[:min(left, len(paths))]
		for _, path := range paths {
			if err := w.Run(path); err != nil {
				b.Fatal(err)
			}
		}
		b.StopTimer()
		check(b, w.Check(len(paths)))
		check(b, w.Written.CheckAndRemove(paths))
		b.StartTimer()
	}
}

// halfWritten has each operation write a new file, where runs take turns: half a batch, and the files of both halves are removed after the second one. Whoever
// removes files between writing some that do not count and those that do has the memory of the former for the latter, still in the processor's cache.
func halfWritten(b *testing.B, w *Work) {
	both := w.Written.Paths(2 * b.N)
	half := both[:b.N]
	if taken.unremoved {
		half = both[b.N:]
	}
	for _, path := range half {
		if err := w.Run(path); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	check(b, w.Check(b.N))
	if taken.unremoved {
		check(b, w.Written.CheckAndRemove(both))
	}
	taken.unremoved = !taken.unremoved
}

func check(b *testing.B, err error) {
	if err != nil {
		b.Fatal(err)
	}
}
