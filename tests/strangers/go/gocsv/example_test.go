package gocsv_test

import (
	"fmt"

	"example.com/gocsv"
)

func ExampleCsvRead() {
	_, err := gocsv.CsvRead("missing")
	fmt.Println(err != nil)
	// Output: true
}
