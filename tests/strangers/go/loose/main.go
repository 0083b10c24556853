package main

import (
	"fmt"
	"os"
)

func longestLine(path string) (int, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return longest(data), nil
}

func main() {
	fmt.Println(longestLine(os.Args[1]))
}
