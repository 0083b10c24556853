package withc

/*
#include <stddef.h>

static long count_newlines(const char *data, size_t size) {
    long count = 0;
    for (size_t i = 0; i < size; i++) count += data[i] == '\n';
    return count;
}
*/
import "C"

import (
	"os"
	"unsafe"
)

// CountInC counts lines by a function in C.
func CountInC(path string) (int64, error) {
	data, err := os.ReadFile(path)
	if err != nil || len(data) == 0 {
		return 0, err
	}
	return int64(C.count_newlines((*C.char)(unsafe.Pointer(&data[0])), C.size_t(len(data)))), nil
}
