package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
)

func countErrors(filename string) (errors int, err error) {
	data, err := os.ReadFile(filename)
	if err != nil {
		return 0, err
	}
	for _, line := range bytes.Split(data, []byte("\n")) {
		if bytes.Contains(line, []byte("ERROR")) {
			errors++
		}
	}
	return errors, nil
}

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: one FILE")
	}
	n, err := countErrors(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n)
}
