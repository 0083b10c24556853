// Package pattern knows what is worth a look.
package pattern

import (
	_ "embed"
	"strings"
)

//go:embed words.txt
var words string

// Matches says whether a line has one of the words.
func Matches(line string) bool {
	for _, word := range strings.Fields(words) {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}
