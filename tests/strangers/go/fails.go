package parse

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
)

type wrongLine struct {
	number int
	err    error
}

func (w wrongLine) Error() string { return fmt.Sprintf("line %d is no number: %v", w.number, w.err) }
func (w wrongLine) Unwrap() error { return w.err }

// SumNumbers adds the numbers of a file that has one in each line.
func SumNumbers(path string) (float64, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	sum := 0.0
	scanner := bufio.NewScanner(file)
	for number := 1; scanner.Scan(); number++ {
		value, err := strconv.ParseFloat(scanner.Text(), 64)
		if err != nil {
			return 0, wrongLine{number, err}
		}
		sum += value
	}
	return sum, scanner.Err()
}
