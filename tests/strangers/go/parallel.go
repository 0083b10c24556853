package parallel

import (
	"bytes"
	"errors"
	"io"
	"os"
	"runtime"
	"sync"
)

// CountParallel counts lines in as many goroutines as there are cores.
func CountParallel(path string) (int, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	workers := runtime.NumCPU()
	part := info.Size()/int64(workers) + 1
	counts, errs := make([]int, workers), make([]error, workers)
	var wg sync.WaitGroup
	for i := 0; i < workers; i++ {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			section := io.NewSectionReader(file, int64(i)*part, part)
			block := make([]byte, 64<<10)
			for {
				n, err := section.Read(block)
				counts[i] += bytes.Count(block[:n], []byte{'\n'})
				if err == io.EOF {
					return
				}
				if err != nil {
					errs[i] = err
					return
				}
			}
		}(i)
	}
	wg.Wait()
	total := 0
	for _, n := range counts {
		total += n
	}
	return total, errors.Join(errs...)
}
