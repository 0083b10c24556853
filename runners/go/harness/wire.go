// Package harness is the runner's side of the wire (docs/wire.md): it answers requests and times operations.
package harness

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sort"
	"strconv"
	"strings"

	"iogauge/runners/go/consume"
	"iogauge/runners/go/strategies"
)

// wireVersion is the version of the protocol.
const wireVersion = 3

const mostPadding = 1 << 16

// request holds the keys of every verb; a verb looks at its own.
type request struct {
	Verb       string                     `json:"verb"`
	Strategy   string                     `json:"strategy"`
	Parameters map[string]json.RawMessage `json:"parameters"`
	Workload   struct {
		Operation  string       `json:"operation"`
		Consume    consume.Kind `json:"consume"`
		Mode       *string      `json:"mode"`
		Durability *string      `json:"durability"`
	} `json:"workload"`
	Payload    *string  `json:"payload"`
	Offsets    *string  `json:"offsets"`
	Padding    int64    `json:"padding"`
	Operations int64    `json:"operations"`
	Spans      int64    `json:"spans"`
	Paths      []string `json:"paths"`
}

type done struct {
	Verb string `json:"verb"`
}

type failure struct {
	Error string `json:"error"`
}

// Serve answers the requests that arrive on in, one line each on out, until in ends. The error is nil at the end of in,
// else the channel's. Each request costs one read of in and one write of out, as long as a pipe carries it whole: the
// host counts this process's system calls.
func Serve(in io.Reader, out io.Writer) error {
	// A mapping whose file was truncated meanwhile then panics, which becomes an error reply, instead of ending the process.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	// Having set it ends the periodic look (Go 1.25) at the cgroup's CPU limit, whose reads the host would count as ours.
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))

	requests := bufio.NewReaderSize(in, 64<<10)
	var reply bytes.Buffer
	encoder := json.NewEncoder(&reply)
	encoder.SetEscapeHTML(false)
	var s session
	for {
		line, err := requests.ReadBytes('\n')
		if err == io.EOF { // a line without an end is the remains of a host that died
			return nil
		}
		if err != nil {
			return fmt.Errorf("cannot read a request: %w", err)
		}
		reply.Reset()
		answer, err := s.answer(line)
		if err != nil {
			answer = failure{err.Error()}
		}
		if err := encoder.Encode(answer); err != nil {
			return fmt.Errorf("cannot encode a reply: %w", err)
		}
		if _, err := out.Write(reply.Bytes()); err != nil {
			return fmt.Errorf("cannot write a reply: %w", err)
		}
	}
}

// session is what open prepared.
type session struct {
	name      string // of the strategy, empty before the first open
	consume   consume.Kind
	operation strategies.Operation
	told      func() *int64 // what stands for the last result of a function of the user's, or nil
	padding   []byte        // allocated before anything that the strategy owns
}

// answer carries out one request line and returns the reply to be encoded.
func (s *session) answer(line []byte) (reply any, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the runner failed: %v", cause)
		}
	}()
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		var mistyped *json.UnmarshalTypeError
		if errors.As(err, &mistyped) && mistyped.Field != "" {
			return nil, fmt.Errorf("%s must be %s, not %s", mistyped.Field, spoken(mistyped.Type.String()), mistyped.Value)
		}
		return nil, fmt.Errorf("the request is not a JSON object: %v", err)
	}
	switch r.Verb {
	case "hello":
		return hello(), nil
	case "list":
		return list{"list", strategies.All()}, nil
	case "open":
		return done{"open"}, s.open(&r)
	case "sample":
		return s.sample(&r)
	case "release":
		return done{"release"}, nil // every operation has closed and unmapped what it used
	}
	return nil, fmt.Errorf("unknown verb %q, known are hello, list, open, sample and release", r.Verb)
}

// spoken names a Go type of request as JSON calls it.
func spoken(goType string) string {
	switch {
	case goType == "int64":
		return "an integer"
	case goType == "[]string":
		return "an array of strings"
	case strings.HasPrefix(goType, "map") || strings.HasPrefix(goType, "struct"):
		return "an object"
	}
	return "a string"
}

type list struct {
	Verb       string                `json:"verb"`
	Strategies []strategies.Strategy `json:"strategies"`
}

// open checks the request against the strategy's declaration and prepares the operation.
func (s *session) open(r *request) error {
	strategy, found := strategies.Find(r.Strategy)
	if !found {
		return fmt.Errorf("unknown strategy %q", r.Strategy)
	}
	if strategy.Unavailable != nil {
		return fmt.Errorf("%s cannot run here: %s", strategy.Name, *strategy.Unavailable)
	}
	if r.Workload.Operation != strategy.Operation {
		return fmt.Errorf("%s: operation must be %q, not %q", strategy.Name, strategy.Operation, r.Workload.Operation)
	}
	if !slices.Contains(strategy.Consumes, r.Workload.Consume) {
		return fmt.Errorf("%s: consume must be one of %q, not %q", strategy.Name, strategy.Consumes, r.Workload.Consume)
	}
	if r.Padding < 0 || r.Padding > mostPadding {
		return fmt.Errorf("padding must be an integer from 0 to %d, not %d", mostPadding, r.Padding)
	}
	padding := make([]byte, r.Padding)
	setup, err := prepare(strategy, r)
	if err != nil {
		return fmt.Errorf("%s: %w", strategy.Name, err)
	}
	operation, err := strategy.Open(setup)
	if err != nil {
		return fmt.Errorf("%s: %w", strategy.Name, err)
	}
	*s = session{strategy.Name, r.Workload.Consume, operation, strategy.Told, padding}
	return nil
}

// prepare returns what the request asks for, the payload read. The error names what is missing, or not declared.
func prepare(strategy strategies.Strategy, r *request) (setup strategies.Setup, err error) {
	if setup.Parameters, err = inRange(strategy, r.Parameters); err != nil {
		return setup, err
	}
	if setup.Mode, err = oneOf("mode", strategy.Modes, r.Workload.Mode); err != nil {
		return setup, err
	}
	if setup.Durability, err = oneOf("durability", strategy.Durabilities, r.Workload.Durability); err != nil {
		return setup, err
	}
	setup.Consume = r.Workload.Consume
	switch {
	case strategy.NeedsSource():
		setup.Source, err = source(r.Payload)
	case strategy.NeedsPayload():
		setup.Payload, err = content("payload", r.Payload)
	case strategy.NeedsOffsets():
		setup.Offsets, err = positions(r.Offsets)
	}
	return setup, err
}

// content returns what a prepared file holds.
func content(what string, path *string) ([]byte, error) {
	if path == nil {
		return nil, fmt.Errorf("%s is missing, it must be the path of a file", what)
	}
	data, err := os.ReadFile(*path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return data, nil
}

// source returns the path of a file to copy, which is not read here.
func source(path *string) (string, error) {
	if path == nil {
		return "", errors.New("payload is missing, it must be the path of a file")
	}
	info, err := os.Stat(*path)
	if err != nil {
		return "", fmt.Errorf("payload: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("payload: %s is not a regular file", *path)
	}
	return *path, nil
}

// positions returns the offsets of a prepared file.
func positions(path *string) ([]int64, error) {
	data, err := content("offsets", path)
	if err != nil {
		return nil, err
	}
	if len(data)%8 != 0 {
		return nil, fmt.Errorf("offsets: %s holds %d bytes, which is not a multiple of 8", *path, len(data))
	}
	offsets := make([]int64, len(data)/8)
	for i := range offsets {
		offsets[i] = int64(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return offsets, nil
}

// oneOf returns the given word if it is declared, and nothing if none is declared and none given.
func oneOf(what string, declared []string, given *string) (string, error) {
	switch {
	case given == nil && len(declared) == 0:
		return "", nil
	case given == nil:
		return "", fmt.Errorf("%s is missing, it must be one of %q", what, declared)
	case len(declared) == 0:
		return "", fmt.Errorf("%s must be null, not %q", what, *given)
	case !slices.Contains(declared, *given):
		return "", fmt.Errorf("%s must be one of %q, not %q", what, declared, *given)
	}
	return *given, nil
}

// inRange returns the parameters as integers. The error names the first, by name, that is unknown, missing, not an
// integer or out of range, and what is allowed.
func inRange(strategy strategies.Strategy, given map[string]json.RawMessage) (map[string]int64, error) {
	for _, name := range names(given) {
		if _, declared := strategy.Parameters[name]; !declared {
			return nil, fmt.Errorf("unknown parameter %s, known are %q", name, names(strategy.Parameters))
		}
	}
	values := make(map[string]int64, len(strategy.Parameters))
	for _, name := range names(strategy.Parameters) {
		p := strategy.Parameters[name]
		text, present := given[name]
		if !present {
			return nil, fmt.Errorf("parameter %s is missing, it must be an integer from %d to %d", name, p.Min, p.Max)
		}
		value, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil || value < p.Min || value > p.Max {
			return nil, fmt.Errorf("parameter %s must be an integer from %d to %d, not %s", name, p.Min, p.Max, text)
		}
		values[name] = value
	}
	return values, nil
}

// names returns the keys of a map, sorted.
func names[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
