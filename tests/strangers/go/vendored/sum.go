package vendored

import (
	"io/ioutil"

	"example.com/sums"
)

// SumFile adds all bytes of a file.
func SumFile(path string) (uint64, error) {
	data, err := ioutil.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return sums.Of(data), nil
}
