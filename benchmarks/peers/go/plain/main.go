// Command plain carries out operations and prints what they took: a program of neither tool. Each line has the ns per operation of a span, and how many
// collections, switches of its threads, and faults of its memory there were per operation; without operations, the ns of a collection where there is
// nothing to collect. It stops the world before each span if a variable says so.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
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
		before := work.Count()
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
		since := work.Count().Less(before)
		if err := w.Check(operations); err != nil {
			return err
		}
		each := float64(done)
		fmt.Println(float64(taken.Nanoseconds())/each, float64(since.Collections)/each, float64(since.Switches)/each, float64(since.Faults)/each)
	}
	return nil
}
