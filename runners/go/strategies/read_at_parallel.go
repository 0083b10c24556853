package strategies

import (
	"errors"
	"io"
	"os"
	"sync"

	"iogauge/runners/go/consume"
)

func init() {
	register(Strategy{
		Name:  "go/read-at-parallel",
		Title: "os.File.ReadAt by several goroutines, a part each",
		Call:  "os.File.ReadAt, goroutines",
		Parameters: map[string]Parameter{
			"block":   {Default: 128 << 10, Min: 1, Max: 1 << 26, Unit: "bytes", Role: "piece", Says: "bytes of the slice of each goroutine"},
			"threads": {Default: 4, Min: 1, Max: 64, Unit: "count", Role: "parallel", Says: "goroutines that read at the same time"},
		},
		Buffer: "reused",
		Effort: 3,
		Open: func(setup Setup) (Operation, error) {
			readers := make([]partReader, setup.Parameters["threads"])
			for i := range readers {
				readers[i] = partReader{make([]byte, setup.Parameters["block"]), consume.NewTally(setup.Consume), nil}
			}
			return func(path string, tally *consume.Tally) error {
				return readParts(path, readers, tally)
			}, nil
		},
	})
}

// partReader is what a goroutine has for itself.
type partReader struct {
	block []byte
	tally *consume.Tally
	err   error
}

// readParts has each reader read one of as many parts of the file, at the same time. The goroutines are started by each
// operation, as a program would.
func readParts(path string, readers []partReader, tally *consume.Tally) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	blocks := (info.Size() + int64(len(readers[0].block)) - 1) / int64(len(readers[0].block))
	part := (blocks + int64(len(readers)) - 1) / int64(len(readers)) * int64(len(readers[0].block))
	var all sync.WaitGroup
	for i := range readers {
		all.Add(1)
		go func(i int64) {
			defer all.Done()
			readers[i].read(file, i*part, min((i+1)*part, info.Size()))
		}(int64(i))
	}
	all.Wait()
	var failures []error
	for i := range readers {
		failures = append(failures, readers[i].err)
		tally.Add(readers[i].tally)
	}
	return errors.Join(failures...)
}

// read reads from one offset to another.
func (r *partReader) read(file *os.File, from, to int64) {
	r.tally.Reset()
	r.tally.At(from)
	for r.err = nil; from < to; {
		n, err := file.ReadAt(r.block[:min(int64(len(r.block)), to-from)], from)
		r.tally.Block(r.block[:n])
		from += int64(n)
		if err == io.EOF {
			return // the file has become shorter: the host sees it by the count
		}
		if err != nil {
			r.err = err
			return
		}
	}
}
