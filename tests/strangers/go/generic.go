package generic

import (
	"bufio"
	"io"
	"os"
)

type pathLike interface{ ~string }

// CountIf counts the bytes that are alike.
func CountIf[P pathLike](path P) (map[byte]int, error) {
	data, err := os.ReadFile(string(path))
	if err != nil {
		return nil, err
	}
	counts := map[byte]int{}
	for _, b := range data {
		counts[b]++
	}
	return counts, nil
}

// Longest returns the longest line.
func Longest[R io.Reader](source R) (string, error) {
	longest := ""
	lines := bufio.NewScanner(source)
	for lines.Scan() {
		if text := lines.Text(); len(text) > len(longest) {
			longest = text
		}
	}
	return longest, lines.Err()
}
