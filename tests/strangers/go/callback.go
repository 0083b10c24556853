package each

import (
	"bufio"
	"io"
	"os"
	"strings"
)

// EachLine calls visit for each line until it gives an error.
func EachLine(path string, visit func(line string) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		if err := visit(scanner.Text()); err != nil {
			return err
		}
	}
	return scanner.Err()
}

// Entry is a line of a log.
type Entry struct{ Date, Level, Text string }

// EachEntry calls visit for each entry until it says no.
func EachEntry(path string, visit func(*Entry) bool) error {
	return EachLine(path, func(line string) error {
		fields := strings.SplitN(line, " ", 3)
		if len(fields) == 3 && !visit(&Entry{fields[0], fields[1], fields[2]}) {
			return io.EOF
		}
		return nil
	})
}

// Cat writes a file to w.
func Cat(w io.Writer, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(w, file)
	return err
}
