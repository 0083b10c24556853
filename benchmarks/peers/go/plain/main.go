// Command plain carries out operations and prints what they took: a program of neither tool. Each line has the ns per operation of a span, how many
// collections there were per operation, and how many switches of its threads to others or to nobody; without operations, the ns of a collection where there is
// nothing to collect. It stops the world before each span if a variable says so.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"syscall"
	"time"

	"iogauge/benchmarks/peers/go/work"
)

const (
	collections = 1000 // per span
	stopped     = "IOGAUGE_PEER_STOPPED"
)

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "plain:", err)
		os.Exit(1)
	}
}

// run takes the file of the work, and the numbers of operations and of spans.
func run(file, times, spans string) error {
	operations, err := strconv.Atoi(times)
	if err != nil {
		return err
	}
	left, err := strconv.Atoi(spans)
	if err != nil {
		return err
	}
	w, err := work.Open(file)
	if err != nil {
		return err
	}
	if w.Written != nil || w.DeviceBytes > 0 {
		return errors.New("only reads of what is in the page cache")
	}
	stops := os.Getenv(stopped) != ""
	var stats runtime.MemStats
	for ; left > 0; left-- {
		if stops {
			runtime.ReadMemStats(&stats)
		}
		collectedBefore, switchedBefore := counts()
		start := time.Now()
		done := operations
		if operations == 0 {
			done = collections
			for i := 0; i < collections; i++ {
				runtime.GC()
			}
		}
		for i := 0; i < operations; i++ {
			if err := w.Run(w.Path); err != nil {
				return err
			}
		}
		taken := time.Since(start)
		collected, switched := counts()
		if err := w.Check(operations); err != nil {
			return err
		}
		each := float64(done)
		fmt.Println(float64(taken.Nanoseconds())/each, float64(collected-collectedBefore)/each, float64(switched-switchedBefore)/each)
	}
	return nil
}

// counts returns the collections and the switches so far. It stops nothing.
func counts() (collected uint64, switched int64) {
	cycles := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(cycles)
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // fails for other arguments only
	return cycles[0].Value.Uint64(), usage.Nvcsw + usage.Nivcsw
}
