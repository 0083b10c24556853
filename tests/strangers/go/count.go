// Package linecount counts what is in log files.
package linecount

import (
	"bufio"
	"os"
)

// CountLines returns how many lines the file has.
func CountLines(path string) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n := 0
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		n++
	}
	return n, sc.Err()
}
