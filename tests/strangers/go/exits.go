package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
)

func run(path string) {
	file, err := os.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	lines := 0
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		lines++
	}
	fmt.Println(lines)
	os.Exit(0)
}

func main() { run(os.Args[1]) }
