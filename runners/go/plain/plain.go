// Package plain is what glue calls that was generated for functions of the user's as they stand (docs/your-code.md). It becomes a part of their
// module, so it needs the standard library alone.
package plain

import (
	"fmt"
	"regexp"
	"runtime"
	"strings"

	"iogauge/runners/go/consume"
	"iogauge/runners/go/strategies"
)

// Kind says what a function returns of its file.
type Kind string

const (
	Anything Kind = "nothing"   // a result of its own
	Bytes    Kind = "byte"      // all its bytes
	Lines    Kind = "line-byte" // all its lines
)

const longestCall, longestTitle = 34, 46

var (
	humps  = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	others = regexp.MustCompile(`[^a-z0-9]+`)
)

// Add makes a function of the user's two strategies: one that compares what it returns with the file, if it may be that, and one that takes it
// for a result. Of two functions with the same words in their names the second has a number behind it.
func Add(name, shown string, kind Kind, call func(path string, to *Taken) error) {
	own := named(name)
	add(own, "", shown, kind, call)
	if kind != Anything {
		add(own+"-as-result", own, shown, Anything, call)
	}
}

// Without names a function whose call does not compile, and why.
func Without(name, shown, why string) {
	why = name + "() cannot be called: " + why
	strategies.Register(strategies.Strategy{
		Name:        named(name),
		Title:       short(shown, longestTitle) + ", of your own",
		Call:        short(shown, longestCall),
		Unit:        "file",
		Sums:        string(Anything),
		Consumes:    []consume.Kind{consume.None},
		Buffer:      "new",
		Effort:      1,
		Unavailable: &why,
	})
}

func named(name string) string {
	words := strings.Trim(others.ReplaceAllString(strings.ToLower(humps.ReplaceAllString(name, "$1-$2")), "-"), "-")
	own := "go/own-" + words
	for n := 2; ; n++ {
		if _, twice := strategies.Find(own); !twice {
			break
		}
		own = fmt.Sprintf("go/own-%s-%d", words, n)
	}
	return own
}

func add(name, insteadOf, shown string, kind Kind, call func(string, *Taken) error) {
	to := &Taken{}
	own := strategies.Strategy{
		Name:      name,
		Title:     short(shown, longestTitle) + ", of your own",
		Call:      short(shown, longestCall),
		Unit:      "file",
		Sums:      string(kind),
		Consumes:  []consume.Kind{consume.None},
		Buffer:    "new", // as far as anybody knows
		Effort:    1,
		InsteadOf: insteadOf,
	}
	switch kind {
	case Bytes:
		own.Consumes = []consume.Kind{consume.None, consume.Touch, consume.Sum}
	case Lines:
		own.Consumes = []consume.Kind{consume.None, consume.Sum}
	default:
		own.Told = to.number
	}
	checked := kind != Anything
	own.Open = func(strategies.Setup) (strategies.Operation, error) {
		to.slots = nil
		return func(path string, tally *consume.Tally) (err error) {
			defer func() {
				if cause := recover(); cause != nil {
					err = panicked(cause)
				}
			}()
			if checked {
				to.tally = tally
			}
			return call(path, to)
		}, nil
	}
	strategies.Register(own)
}

func short(text string, most int) string {
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return text
}

// panicked tells what a panic was about, and where in the user's code it began.
func panicked(cause any) error {
	if fault, ok := cause.(interface{ Addr() uintptr }); ok {
		return fmt.Errorf("memory fault at %#x, the file was probably truncated while it was mapped", fault.Addr())
	}
	var callers [32]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	for panics := false; ; {
		frame, more := frames.Next()
		switch {
		case frame.Function == "runtime.gopanic":
			panics = true
		case panics && !strings.HasPrefix(frame.Function, "runtime."):
			file := frame.File[strings.LastIndex(frame.File, "/")+1:]
			return fmt.Errorf("%s:%d: panic: %v", file, frame.Line, cause)
		}
		if !more {
			return fmt.Errorf("panic: %v", cause)
		}
	}
}
