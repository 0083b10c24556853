package options

import (
	"bufio"
	"os"
)

type settings struct {
	buffer int
	skip   int
}

// Option changes how a file is read.
type Option func(*settings)

// WithBuffer sets the size of the buffer.
func WithBuffer(n int) Option { return func(s *settings) { s.buffer = n } }

// Stats is what was found.
type Stats struct {
	Lines, Longest int
	Mean           float64
}

// Read looks at each line of the file.
func Read(path string, opts ...Option) (Stats, error) {
	s := settings{buffer: 64 * 1024}
	for _, opt := range opts {
		opt(&s)
	}
	file, err := os.Open(path)
	if err != nil {
		return Stats{}, err
	}
	defer file.Close()
	var stats Stats
	total := 0
	scanner := bufio.NewScanner(bufio.NewReaderSize(file, s.buffer))
	for scanner.Scan() {
		stats.Lines++
		total += len(scanner.Bytes())
		stats.Longest = max(stats.Longest, len(scanner.Bytes()))
	}
	if stats.Lines > 0 {
		stats.Mean = float64(total) / float64(stats.Lines)
	}
	return stats, scanner.Err()
}

// Config is how ReadWith reads.
type Config struct {
	BufferSize int
	Strict     bool
}

// ReadWith takes nil for the defaults.
func ReadWith(path string, cfg *Config) (Stats, error) {
	if cfg == nil {
		cfg = &Config{BufferSize: 4096}
	}
	return Read(path, WithBuffer(cfg.BufferSize))
}
