package text

import "strings"

// Words returns the words of a text.
func Words(text string) []string { return strings.Fields(text) }
