package replaced

import "example.com/lines"

// Lines counts them.
func Lines(path string) (n int, err error) {
	err = lines.Each(path, func(string) { n++ })
	return n, err
}
