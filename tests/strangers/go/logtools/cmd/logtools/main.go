package main

import (
	"fmt"
	"os"

	"example.com/logtools/reader"
)

func main() {
	fmt.Println(reader.CountMatches(os.Args[1]))
}
