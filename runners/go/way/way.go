// Package way makes functions of the user's own strategies of the runner (docs/your-code.md).
package way

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"iogauge/runners/go/consume"
	"iogauge/runners/go/harness"
	"iogauge/runners/go/strategies"
)

// Tally takes what was read: by Block, or by Line or LineBytes each line without its end.
type Tally = *consume.Tally

var humps = regexp.MustCompile(`([a-z0-9])([A-Z])`)
var others = regexp.MustCompile(`[^a-z0-9]+`)

// Bytes adds a function that reads the file at the path and hands all its bytes to the tally, in order.
func Bytes(name string, read func(path string, tally Tally) error) {
	add(name, read, "block", "byte", []consume.Kind{consume.None, consume.Touch, consume.Sum})
}

// Lines adds a function that hands each line of the file to the tally.
func Lines(name string, read func(path string, tally Tally) error) {
	add(name, read, "line", "line-byte", []consume.Kind{consume.None, consume.Sum})
}

// Anything adds a function that makes of the file what it likes. It hands over nothing, so nobody checks how much it reads.
func Anything(name string, read func(path string) error) {
	alone := func(path string, _ Tally) error { return read(path) }
	add(name, alone, "file", "nothing", []consume.Kind{consume.None})
}

func add(name string, read func(string, Tally) error, unit, sums string, kinds []consume.Kind) {
	words := strings.Trim(others.ReplaceAllString(strings.ToLower(humps.ReplaceAllString(name, "$1-$2")), "-"), "-")
	strategies.Register(strategies.Strategy{
		Name:       "go/own-" + words,
		Title:      name + ", of your own",
		Call:       name,
		Unit:       unit,
		Sums:       sums,
		Consumes:   kinds,
		Parameters: map[string]strategies.Parameter{},
		Buffer:     "new", // as far as anybody knows
		Effort:     1,
		Open:       func(strategies.Setup) (strategies.Operation, error) { return read, nil },
	})
}

// Main talks to the host until that ends.
func Main() {
	channel := os.Stdout
	os.Stdout = os.Stderr // whatever a library prints must not end up on the channel
	if err := harness.Serve(os.Stdin, channel); err != nil {
		fmt.Fprintln(os.Stderr, "iogauge-runner:", err)
		os.Exit(1)
	}
}
