// Command plain carries out operations and prints what they took: a program of neither tool. Each line has what came before a span and how many
// collections that was; of the span the ns per operation, and how many collections, switches of its threads, and faults of its memory there were per
// operation; without operations, the ns of a collection where there is nothing to collect. It stops the world before each span if a variable says so.
package main

import (
	"errors"
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"strconv"
	"time"

	"iogauge/benchmarks/peers/go/work"
)

const (
	collections = 1000 // per span
	stopped     = "IOGAUGE_PEER_STOPPED"
	anew        = "anew" // also in a goroutine of its own
)

// befores are what may come before a span.
var befores = map[string]func(p *program) error{
	"nothing":    func(*program) error { return nil },
	"collection": func(*program) error { runtime.GC(); return nil },
	anew: func(p *program) error { // what Go's testing package does before a count, and our benchmark under it did; what is opened stays for later spans
		opened, err := work.Open(p.file)
		p.work = opened
		runtime.GC()
		return err
	},
}

type program struct {
	file       string
	operations int
	work       *work.Work
}

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3], os.Args[4:]); err != nil {
		fmt.Fprintln(os.Stderr, "plain:", err)
		os.Exit(1)
	}
}

// run takes the file of the work, the numbers of operations and of spans, and what comes before them: so many spans after each, in random order.
func run(file, times, spans string, before []string) error {
	operations, err := strconv.Atoi(times)
	if err != nil {
		return err
	}
	left, err := strconv.Atoi(spans)
	if err != nil {
		return err
	}
	if len(before) == 0 {
		before = []string{"nothing"}
	}
	w, err := work.Open(file)
	if err != nil {
		return err
	}
	if w.Written != nil || w.DeviceBytes > 0 {
		return errors.New("only reads of what is in the page cache")
	}
	p := &program{file, operations, w}
	for ; left > 0; left-- {
		rand.Shuffle(len(before), func(i, j int) { before[i], before[j] = before[j], before[i] })
		for _, name := range before {
			if err := p.after(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// after carries out and prints a span, after what has this name.
func (p *program) after(name string) error {
	prepare, found := befores[name]
	if !found {
		return fmt.Errorf("nothing is called %s", name)
	}
	before := work.Count()
	if err := prepare(p); err != nil {
		return err
	}
	fmt.Print(name, " ", work.Count().Less(before).Collections, " ")
	if name != anew {
		return p.span()
	}
	done := make(chan error)
	go func() { done <- p.span() }()
	return <-done
}

// span carries out the operations, and ends the line that after began.
func (p *program) span() error {
	if os.Getenv(stopped) != "" {
		runtime.ReadMemStats(new(runtime.MemStats))
	}
	before := work.Count()
	start := time.Now()
	done := p.operations
	if done == 0 {
		done = collections
		for i := 0; i < collections; i++ {
			runtime.GC()
		}
	}
	for i := 0; i < p.operations; i++ {
		if err := p.work.Run(p.work.Path); err != nil {
			return err
		}
	}
	taken := time.Since(start)
	since := work.Count().Less(before)
	if err := p.work.Check(p.operations); err != nil {
		return err
	}
	each := float64(done)
	fmt.Println(float64(taken.Nanoseconds())/each, float64(since.Collections)/each, float64(since.Switches)/each, float64(since.Faults)/each)
	return nil
}
