package gocsv

import (
	"encoding/csv"
	"io"
	"os"
)

// CsvRead returns the number of records.
func CsvRead(path string) (int, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.ReuseRecord = true
	count := 0
	for {
		_, err := reader.Read()
		if err == io.EOF {
			return count, nil
		}
		if err != nil {
			return count, err
		}
		count++
	}
}
