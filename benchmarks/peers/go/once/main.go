// Command once carries out a few operations in a fresh process and nothing else, for tools that time whole processes. Files that it
// writes it leaves: looking at them and removing them would be part of its time.
package main

import (
	"fmt"
	"os"
	"strconv"

	"iogauge/benchmarks/peers/go/work"
)

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "once:", err)
		os.Exit(1)
	}
}

// run takes the file of the work, and the number of operations.
func run(file, times string) error {
	operations, err := strconv.Atoi(times)
	if err != nil {
		return err
	}
	w, err := work.Open(file)
	if err != nil {
		return err
	}
	next := func(int) string { return w.Path }
	if w.Written != nil {
		paths := w.Written.Paths(operations)
		next = func(i int) string { return paths[i] }
	}
	var before int64
	if w.DeviceBytes > 0 {
		if before, err = work.Fetched(); err != nil {
			return err
		}
	}
	for i := 0; i < operations; i++ {
		if err := w.Run(next(i)); err != nil {
			return err
		}
	}
	if w.DeviceBytes > 0 {
		if err := w.CheckCold(before); err != nil {
			return err
		}
	}
	return w.Check(operations)
}
