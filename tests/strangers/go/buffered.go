package checksum

import (
	"bufio"
	"hash/crc32"
	"io"
	"os"
)

// Buffered reads byte by byte through a buffer.
func Buffered(path string) (sum uint32, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	in := bufio.NewReader(file)
	table := crc32.IEEETable
	sum = ^sum
	for {
		b, err := in.ReadByte()
		if err == io.EOF {
			return ^sum, nil
		}
		if err != nil {
			return 0, err
		}
		sum = table[byte(sum)^b] ^ sum>>8
	}
}

// Unbuffered reads blocks of 4 KiB.
func Unbuffered(path string) (uint32, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	var block [4096]byte
	sum := crc32.NewIEEE()
	for {
		n, err := file.Read(block[:])
		sum.Write(block[:n])
		if err == io.EOF {
			return sum.Sum32(), nil
		}
		if err != nil {
			return 0, err
		}
	}
}
