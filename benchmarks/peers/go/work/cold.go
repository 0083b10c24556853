package work

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Evict puts a file out of the page cache. That it was shows in what comes from the device afterwards.
func Evict(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED)
}

// Fetched returns how many bytes this process had the devices read since it started.
func Fetched() (int64, error) {
	file, err := os.Open("/proc/self/io")
	if err != nil {
		return 0, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if value, found := strings.CutPrefix(lines.Text(), "read_bytes: "); found {
			return strconv.ParseInt(value, 10, 64)
		}
	}
	return 0, errors.Join(lines.Err(), errors.New("the system does not tell what came from the device"))
}

// CheckCold refuses an operation, begun when so many bytes had been fetched, that found a part of its file in memory.
func (w *Work) CheckCold(before int64) error {
	after, err := Fetched()
	if err != nil {
		return err
	}
	if after-before < w.DeviceBytes {
		return fmt.Errorf("not cold: %d bytes came from the device, %d are needed", after-before, w.DeviceBytes)
	}
	return nil
}
