package main

import "bytes"

func longest(data []byte) (most int) {
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			end = len(data) - 1
		}
		most = max(most, end)
		data = data[end+1:]
	}
	return most
}
