// Command plain carries out operations and prints what they took: a program of neither tool. Each line has the ns per operation of a span and how many
// collections there were per operation; without operations, the ns of a collection where there is nothing to collect.
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

const collections = 1000 // per span

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
	var before, after runtime.MemStats
	for ; left > 0; left-- {
		runtime.ReadMemStats(&before)
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
		runtime.ReadMemStats(&after)
		if err := w.Check(operations); err != nil {
			return err
		}
		fmt.Println(float64(taken.Nanoseconds())/float64(done), float64(after.NumGC-before.NumGC)/float64(done))
	}
	return nil
}
