package panics

import (
	"os"
	"strings"
)

// ThirdField returns the third field of the first line that has none.
func ThirdField(path string) string {
	data, _ := os.ReadFile(path)
	last := ""
	for _, line := range strings.Split(string(data), "\n") {
		last = strings.Split(line, " ")[2]
	}
	return last
}
