package lines

import (
	"bufio"
	"os"
	"strings"
)

type Path string

// ReadLines returns all lines of a file.
func ReadLines(name Path) ([]string, error) {
	data, err := os.ReadFile(string(name))
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"), nil
}

// Raw returns them with their ends.
func (p Path) Raw() ([][]byte, error) {
	file, err := os.Open(string(p))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var found [][]byte
	reader := bufio.NewReader(file)
	for {
		line, err := reader.ReadBytes('\n')
		if len(line) > 0 {
			found = append(found, line)
		}
		if err != nil {
			return found, nil
		}
	}
}

// Errors returns some of them.
func Errors(logPath string) (errors []string, _ error) {
	every, err := ReadLines(Path(logPath))
	for _, each := range every {
		if strings.Contains(each, "ERROR") {
			errors = append(errors, each)
		}
	}
	return errors, err
}
