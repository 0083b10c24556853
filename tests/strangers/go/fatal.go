package main

import (
	"log"
	"os"
	"strings"
)

func mustParse(path string) int {
	data, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	if !strings.HasPrefix(string(data), "{") {
		log.Fatalf("%d bytes, but no document", len(data))
	}
	return len(data)
}

func main() { mustParse(os.Args[1]) }
