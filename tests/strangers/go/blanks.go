package main

// #include "blanks.h"
import "C"

import (
	"os"
	"unsafe"
)

// CountBlanks leaves the counting to C, which lies beside this file.
func CountBlanks(path string) (int, error) {
	data, err := os.ReadFile(path)
	if err != nil || len(data) == 0 {
		return 0, err
	}
	return int(C.blanks((*C.char)(unsafe.Pointer(&data[0])), C.size_t(len(data)))), nil
}

func main() {}
