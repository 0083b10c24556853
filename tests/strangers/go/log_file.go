package logs

import (
	"bufio"
	"os"
	"strings"
)

// LogFile is a log that is open for reading.
type LogFile struct {
	file *os.File
}

// NewLogFile opens a log.
func NewLogFile(path string) (*LogFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &LogFile{file: file}, nil
}

// Lines returns all lines.
func (l *LogFile) Lines() ([]string, error) {
	var lines []string
	scanner := bufio.NewScanner(l.file)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	return lines, scanner.Err()
}

// Errors counts the lines that have an error.
func (l *LogFile) Errors() (int, error) {
	errors := 0
	scanner := bufio.NewScanner(l.file)
	for scanner.Scan() {
		if strings.Contains(scanner.Text(), "ERROR") {
			errors++
		}
	}
	return errors, scanner.Err()
}

// Close ends the work with it.
func (l *LogFile) Close() error { return l.file.Close() }
