package panics

import "os"

// Size lets another goroutine do the work, which trips.
func Size(path string) int {
	sizes := make(chan int)
	go func() {
		data, _ := os.ReadFile(path)
		var counts map[string]int
		counts[path] = len(data)
		sizes <- counts[path]
	}()
	return <-sizes
}
