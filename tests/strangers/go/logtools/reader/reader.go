// Package reader reads logs.
package reader

import (
	"bufio"
	"os"

	"example.com/logtools/internal/pattern"
)

// CountMatches counts the lines that are worth a look.
func CountMatches(path string) (int, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return count(bufio.NewScanner(file))
}

func count(scanner *bufio.Scanner) (n int, err error) {
	for scanner.Scan() {
		if pattern.Matches(scanner.Text()) {
			n++
		}
	}
	return n, scanner.Err()
}
