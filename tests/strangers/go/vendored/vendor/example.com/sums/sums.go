package sums

// Of adds all bytes.
func Of(data []byte) (sum uint64) {
	for _, b := range data {
		sum += uint64(b)
	}
	return sum
}
