package main

import (
	"fmt"
	"os"

	"example.com/workspace/lib/text"
)

func wordCount(path string) (int, error) {
	data, err := os.ReadFile(path)
	return len(text.Words(string(data))), err
}

func main() {
	fmt.Println(wordCount(os.Args[1]))
}
