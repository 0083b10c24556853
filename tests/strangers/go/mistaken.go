package mistaken

import "os"

func Size(path string) (int, error) {
	data, err := os.ReadFile(path)
	return len(dta), err
}
