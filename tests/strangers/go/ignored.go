//go:build ignore

// Counts the days of a log. Run it with: go run ignored.go FILE
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

func countDays(path string) (int, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	days := map[string]bool{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		day, _, _ := strings.Cut(lines.Text(), " ")
		days[day] = true
	}
	return len(days), nil
}

func main() {
	days, err := countDays(os.Args[1])
	fmt.Println(days, err)
}
