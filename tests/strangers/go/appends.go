package appends

import "os"

// Touch adds a line to the file.
func Touch(path string) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.WriteString("seen\n")
	return err
}
