package parse

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// LineError says which line is wrong.
type LineError struct {
	Line int
	Why  string
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Why) }

// CheckDates looks at the date of each line.
func CheckDates(path string) *LineError {
	return check(path, func(text string) bool { return strings.HasPrefix(text, "2026-") })
}

func check(path string, right func(string) bool) *LineError {
	file, err := os.Open(path)
	if err != nil {
		return &LineError{0, err.Error()}
	}
	defer file.Close()
	scanner := bufio.NewScanner(file)
	for n := 1; scanner.Scan(); n++ {
		if !right(scanner.Text()) {
			return &LineError{n, "it has no date"}
		}
	}
	return nil
}
