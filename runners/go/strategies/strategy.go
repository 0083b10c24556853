// Package strategies holds the ways of doing file I/O in Go, one file each, which registers itself. A new strategy is a
// new file here and nothing else.
package strategies

import (
	"sort"

	"iogauge/runners/go/consume"
)

// Strategy is one way to do the I/O with one API: what `list` tells about it, and how to prepare it.
type Strategy struct {
	Name        string               `json:"name"`       // go/…
	Title       string               `json:"title"`      // how a Go programmer would call it, at most 60 characters
	Operation   string               `json:"operation"`  // read
	Unit        string               `json:"unit"`       // what the program handles at a time: byte, block or file
	Medium      string               `json:"medium"`     // file or memory
	Sums        string               `json:"sums"`       // which of the data file's sums the tally gives: byte
	Consumes    []consume.Kind       `json:"consumes"`   // the kinds that Open accepts
	Parameters  map[string]Parameter `json:"parameters"` // by name; Open is given a value in range for each
	Effort      int                  `json:"effort"`     // 1, a one-liner, to 4, mapped memory
	Role        string               `json:"role"`       // contestant or null
	Needs       Needs                `json:"needs"`
	Unavailable *string              `json:"unavailable"` // why it cannot run in this process, or nil

	// Open does the untimed preparation and returns the operation that will be timed.
	Open func(Setup) (Operation, error) `json:"-"`
}

// Parameter declares an integer that the host chooses.
type Parameter struct {
	Default int64  `json:"default"`
	Min     int64  `json:"min"`
	Max     int64  `json:"max"`
	Says    string `json:"says"` // what it is, with its unit
}

// Needs says what a strategy takes to run.
type Needs struct {
	// MemoryPerFileByte is the managed memory in bytes that one operation holds at its peak, per byte of the file; 0 where
	// it does not grow with the file.
	MemoryPerFileByte float64 `json:"memory_per_file_byte"`
	// Runtime is the smallest version of Go, nil where the runner's own minimum will do.
	Runtime *string `json:"runtime"`
}

// Setup is what the host asked for in `open`, already checked against the declaration.
type Setup struct {
	Parameters map[string]int64
}

// Operation works on one whole file: it opens the file, gives all its bytes to the tally in order, and closes it. On an
// error it leaves nothing open either. The tally belongs to the caller.
type Operation func(path string, tally *consume.Tally) error

var registered = map[string]Strategy{}

// register adds a strategy at start-up.
func register(s Strategy) {
	if _, twice := registered[s.Name]; twice {
		panic("two strategies are called " + s.Name)
	}
	registered[s.Name] = s
}

// All returns every strategy, sorted by name.
func All() []Strategy {
	all := make([]Strategy, 0, len(registered))
	for _, s := range registered {
		all = append(all, s)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}

// Find returns the strategy of that name, and whether there is one.
func Find(name string) (Strategy, bool) {
	s, found := registered[name]
	return s, found
}

// The words that most declarations share.
var (
	everyKind    = []consume.Kind{consume.None, consume.Touch, consume.Sum}
	noParameters = map[string]Parameter{}

	block = Parameter{Default: 8192, Min: 1, Max: 1 << 30, Says: "bytes of the slice given to Read"}
	// bufio silently makes smaller buffers 16 bytes long, so the declaration does not offer them.
	buffer = Parameter{Default: 4096, Min: 16, Max: 1 << 30, Says: "bytes of the buffer inside bufio.Reader"}
)
