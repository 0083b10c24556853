package lines

import (
	"bufio"
	"os"
)

// Each calls a function for each line.
func Each(path string, visit func(string)) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		visit(scanner.Text())
	}
	return scanner.Err()
}
