package plain

import (
	"bufio"
	"errors"
	"io"
	"reflect"
	"runtime"

	"iogauge/runners/go/consume"
)

// Taken takes what a function returned. What is compared with the file goes to the tally, which is nil where it is a result.
type Taken struct {
	tally *consume.Tally
	slots []slot
	block []byte
}

// slot has one of the results of the last operation.
type slot interface {
	value() (reflect.Value, bool)
}

type held[T any] struct {
	last    T
	mode    mode
	dropped bool // since it was large
}

func (h *held[T]) value() (reflect.Value, bool) {
	return reflect.ValueOf(&h.last).Elem(), h.mode != never && !h.dropped
}

// Keep keeps the result at a place from the optimizer, and to be compared if it is small: a large one would be in the way of the next
// operation.
func Keep[T any](to *Taken, at int, result T) {
	for len(to.slots) <= at {
		to.slots = append(to.slots, nil)
	}
	place, known := to.slots[at].(*held[T])
	if !known {
		place = &held[T]{mode: modeOf(reflect.TypeOf((*T)(nil)).Elem())}
		to.slots[at] = place
	}
	if place.mode == never {
		runtime.KeepAlive(result)
		return
	}
	place.last = result
	if place.mode == ifShort {
		of := reflect.ValueOf(&place.last).Elem()
		place.dropped = of.Len() > longest(of.Kind())
		if place.dropped {
			var none T
			place.last = none
		}
	}
}

// Text takes bytes, or a string, that a function returned.
func Text[T ~string | ~[]byte](to *Taken, text T) {
	if to.tally == nil {
		Keep(to, 0, text)
		return
	}
	block(to.tally, text)
}

// Pieces takes what a function hands over piece by piece to be written.
func (t *Taken) Write(piece []byte) (int, error) {
	if t.tally != nil {
		t.tally.Block(piece)
	}
	return len(piece), nil
}

// Line takes one line, with or without its end.
func Line[T ~string | ~[]byte](to *Taken, line T) {
	if to.tally == nil {
		sink(line)
		return
	}
	end := len(line)
	if end > 0 && line[end-1] == '\n' {
		end--
		if end > 0 && line[end-1] == '\r' {
			end--
		}
	}
	to.tally.LineOf(end)
}

// Slice takes lines that a function returned.
func Slice[S ~[]T, T ~string | ~[]byte](to *Taken, lines S) {
	if to.tally == nil {
		Keep(to, 0, lines)
		return
	}
	for _, line := range lines {
		Line(to, line)
	}
}

// Each takes lines that a function yields.
func Each[T ~string | ~[]byte](to *Taken, sequence func(yield func(T) bool)) {
	sequence(func(line T) bool {
		Line(to, line)
		return true
	})
}

// EachOrError takes lines that a function yields with an error, which ends them.
func EachOrError[T ~string | ~[]byte](to *Taken, sequence func(yield func(T, error) bool)) (failed error) {
	sequence(func(line T, err error) bool {
		if err != nil {
			failed = err
			return false
		}
		Line(to, line)
		return true
	})
	return failed
}

// Run carries out a sequence of anything to its end.
func Run[T any](sequence func(yield func(T) bool)) {
	sequence(func(item T) bool {
		runtime.KeepAlive(item)
		return true
	})
}

// RunPairs does the same with one of pairs.
func RunPairs[K, V any](sequence func(yield func(K, V) bool)) (failed error) {
	sequence(func(key K, item V) bool {
		runtime.KeepAlive(key)
		if err, is := any(item).(error); is && err != nil {
			failed = err
			return false
		}
		return true
	})
	return failed
}

// Receive takes the lines that are sent until the channel is closed.
func Receive[T ~string | ~[]byte](to *Taken, lines <-chan T) {
	for line := range lines {
		Line(to, line)
	}
}

// Drain receives anything until the channel is closed. An error that was sent is the function's.
func Drain[T any](items <-chan T) (failed error) {
	for item := range items {
		if err, is := any(item).(error); is && err != nil && failed == nil {
			failed = err
		}
	}
	return failed
}

// Rest takes all that a reader has, and closes it if it can be closed.
func Rest(to *Taken, reader io.Reader) (err error) {
	if closer, can := reader.(io.Closer); can {
		defer closer.Close()
	}
	if to.block == nil {
		to.block = make([]byte, 64<<10)
	}
	for {
		n, err := reader.Read(to.block)
		to.Write(to.block[:n])
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Scan takes all tokens of a scanner, which are lines unless somebody said otherwise.
func Scan(to *Taken, scanner *bufio.Scanner) error {
	for scanner.Scan() {
		Line(to, scanner.Bytes())
	}
	return scanner.Err()
}

// Ended says whether an error is the end of the file, and gives any other.
func Ended(err error) (bool, error) {
	if err == nil {
		return false, nil
	}
	if errors.Is(err, io.EOF) {
		return true, nil
	}
	return true, err
}

// Failure is an error of the user's own type, which may be a nil pointer.
func Failure[T error](err T) error {
	of := reflect.ValueOf(&err).Elem()
	switch of.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice, reflect.Func:
		if of.IsNil() {
			return nil
		}
	default:
		if of.IsZero() {
			return nil
		}
	}
	return err
}

// Visit, VisitOrFail and VisitAll are given to functions that call for each item; they take it and go on.
func Visit[T any](item T) { runtime.KeepAlive(item) }

func VisitOrFail[T any](item T) error { runtime.KeepAlive(item); return nil }

func VisitAll[T any](item T) bool { runtime.KeepAlive(item); return true }

// Visit2, Visit2OrFail and Visit2All do the same with two.
func Visit2[T, U any](one T, two U) { runtime.KeepAlive(one); runtime.KeepAlive(two) }

func Visit2OrFail[T, U any](one T, two U) error { Visit2(one, two); return nil }

func Visit2All[T, U any](one T, two U) bool { Visit2(one, two); return true }

func block[T ~string | ~[]byte](tally *consume.Tally, text T) {
	tally.Block(bytesOf(text))
}

func sink[T any](item T) { runtime.KeepAlive(item) }
