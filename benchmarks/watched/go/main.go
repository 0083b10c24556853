// Writes short lines to a file, with or without a buffer.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
)

func main() {
	file, err := os.Create("out")
	if err != nil {
		panic(err)
	}
	buffer := bufio.NewWriterSize(file, 65536)
	var out io.Writer = buffer
	if os.Args[1] == "bad" {
		out = file
	}
	for i := 0; i < 1_000_000; i++ {
		fmt.Fprintf(out, "record number %d\n", i)
	}
	buffer.Flush()
	file.Close()
}
