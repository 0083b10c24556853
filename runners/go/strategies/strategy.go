// Package strategies holds the ways of doing file I/O in Go, one file each, with a compute-only variant that shares its
// loop; the file registers them. A new strategy is a new file here and nothing else. A field that is left out has the value
// of a contestant that reads blocks of bytes from a file (complete).
package strategies

import (
	"sort"

	"iogauge/runners/go/consume"
)

// Strategy is one way to do the I/O with one API: what `list` tells about it, and how to prepare it. Keys of the wire
// that are missing here have, as the wire says, the values of a sequential reader of plain files: there are no others yet.
type Strategy struct {
	Name         string               `json:"name"`                     // go/…
	Title        string               `json:"title"`                    // what it is, at most 60 characters
	Call         string               `json:"call"`                     // the name that its users would type or search for, at most 34
	Operation    string               `json:"operation"`                // read, write or copy
	Unit         string               `json:"unit"`                     // what the program handles at a time: byte, block, line or file
	Medium       string               `json:"medium"`                   // file, or memory: the payload
	Access       string               `json:"access,omitempty"`         // random where it reads a piece at each offset
	Sums         string               `json:"sums"`                     // what the tally counts and sums: byte or line-byte
	Consumes     []consume.Kind       `json:"consumes"`                 // the kinds that it can do; None alone where it writes or copies
	Modes        []string             `json:"modes,omitempty"`          // how it can open the file it writes: truncate, append
	Durabilities []string             `json:"durabilities,omitempty"`   // how it can make that durable: none, fsync, dsync
	Format       string               `json:"format,omitempty"`         // what its file is, where it is not plain: gzip, or json-lines
	Parameters   map[string]Parameter `json:"parameters"`               // by name; Open is given a value in range for each
	Mapped       bool                 `json:"mapped,omitempty"`         // whether it reads through a mapping
	Bypasses     bool                 `json:"bypasses_cache,omitempty"` // whether it reads or writes around the page cache
	Buffer       string               `json:"buffer,omitempty"`         // whether an operation allocates what the data go through: new, reused or none
	Data         string               `json:"data,omitempty"`           // of what reads: copied, or borrowed where the library or a mapping has them
	Opens        string               `json:"opens,omitempty"`          // when the file is opened: by each operation
	TripsOn      []string             `json:"trips_on,omitempty"`       // what a file may have that it reads otherwise than it is, or refuses
	Effort       int                  `json:"effort"`                   // 1, a one-liner, to 4, mapped memory
	Role         string               `json:"role"`                     // contestant, null or compute_only
	ComputeOnly  string               `json:"compute_only,omitempty"`   // the strategy that does alone what is no I/O in this one
	Needs        Needs                `json:"needs"`
	Unavailable  *string              `json:"unavailable"`          // why it cannot run in this process, or nil
	InsteadOf    string               `json:"instead_of,omitempty"` // the strategy of the same function of the user's that this one may stand for

	// Told gives a number that stands for what the last operation of a function of the user's returned, or nil; nil where it is none.
	Told func() *int64 `json:"-"`

	// Open does the untimed preparation and returns the operation that will be timed.
	Open func(Setup) (Operation, error) `json:"-"`
}

// NeedsPayload says whether Open is to be given one.
func (s Strategy) NeedsPayload() bool { return s.Operation == "write" || s.Medium == "memory" }

// NeedsSource says whether Open is to be given the path of a file to copy.
func (s Strategy) NeedsSource() bool { return s.Operation == "copy" }

// NeedsOffsets says whether Open is to be given positions to read at.
func (s Strategy) NeedsOffsets() bool { return s.Access == random }

// Parameter declares an integer that the host chooses.
type Parameter struct {
	Default int64  `json:"default"`
	Min     int64  `json:"min"`
	Max     int64  `json:"max"`
	Unit    string `json:"unit"` // bytes or count here; chars and switch are the wire's others
	Role    string `json:"role"` // what the value means to a measurement: piece, buffer or parallel
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
	Payload    []byte       // what to write, or to read in memory, not to be changed; nil unless NeedsPayload
	Source     string       // path of the file to copy, empty unless NeedsSource
	Offsets    []int64      // where to read, in this order; nil unless NeedsOffsets
	Consume    consume.Kind // what is done with the data, for a strategy with several tallies
	Mode       string       // one of Modes, empty where there are none
	Durability string       // one of Durabilities, empty where there are none
}

// Operation does the whole work on one file. Reading, it opens the file, gives all that it holds to the tally in order,
// or a piece at each offset, and closes it. Writing, it opens the file, hands over the whole payload and counts it, and
// closes the file. Copying, it does both, from the source. In memory it reads the payload, and the path means nothing. On an error it leaves nothing open either. The tally belongs to the caller.
type Operation func(path string, tally *consume.Tally) error

var registered = map[string]Strategy{}

// Register adds a strategy at start-up.
func Register(s Strategy) { register(s) }

func register(s Strategy) {
	s.complete()
	if _, twice := registered[s.Name]; twice {
		panic("two strategies are called " + s.Name)
	}
	registered[s.Name] = s
}

// complete fills in the fields that were left out, as those of a contestant that reads blocks of bytes from a file.
func (s *Strategy) complete() {
	for _, each := range []struct {
		value     *string
		otherwise string
	}{{&s.Operation, "read"}, {&s.Unit, "block"}, {&s.Medium, "file"}, {&s.Sums, "byte"}, {&s.Role, "contestant"}} {
		if *each.value == "" {
			*each.value = each.otherwise
		}
	}
	if s.Parameters == nil {
		s.Parameters = map[string]Parameter{}
	}
	if s.Consumes == nil && s.Operation == "read" {
		s.Consumes = []consume.Kind{consume.None, consume.Touch, consume.Sum}
	} else if s.Consumes == nil {
		s.Consumes = []consume.Kind{consume.None}
	}
	if s.Data == "" && s.Operation == "read" && s.Role == "contestant" {
		s.Data = "copied"
	}
	if s.Medium == "file" {
		s.Opens = "each"
	}
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

// random is the access of a strategy that reads a piece at each offset.
const random = "random"

// The words that most declarations share.
var (
	readBlock  = piece("bytes of the slice given to Read")
	writeBlock = piece("bytes of the slices given to Write")

	// The defaults of buffers are those of package bufio. It silently makes smaller readers 16 bytes long, so the
	// declaration does not offer them.
	readerBuffer = Parameter{Default: 4096, Min: 16, Max: 1 << 30, Unit: "bytes", Role: "buffer", Says: "bytes of the buffer inside bufio.Reader"}
	writerBuffer = Parameter{Default: 4096, Min: 1, Max: 1 << 30, Unit: "bytes", Role: "buffer", Says: "bytes of the buffer inside bufio.Writer"}
)

// piece declares how many bytes the program hands to one call.
func piece(says string) Parameter {
	return Parameter{Default: 8192, Min: 1, Max: 1 << 30, Unit: "bytes", Role: "piece", Says: says}
}
