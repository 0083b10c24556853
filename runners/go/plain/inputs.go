package plain

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"reflect"
	"runtime"
	"sync"
)

// Open opens the file as most programs do.
func Open(path string) (*os.File, error) { return os.Open(path) }

// What functions take besides an open file, made of it, as most programs do.

func Reader(file *os.File) *bufio.Reader { return bufio.NewReader(file) }

func Scanner(file *os.File) *bufio.Scanner { return bufio.NewScanner(file) }

func CSV(file *os.File) *csv.Reader { return csv.NewReader(file) }

func JSON(file *os.File) *json.Decoder { return json.NewDecoder(file) }

func Section(file *os.File) *io.SectionReader { return io.NewSectionReader(file, 0, 1<<62) }

// Context is what a function gets that can be canceled.
func Context() context.Context { return context.Background() }

// Workers is how many goroutines a function is told to use.
func Workers() int { return runtime.GOMAXPROCS(0) }

// Group is for a function that is started by others as a goroutine, and tells them that it is done.
func Group() *sync.WaitGroup {
	var group sync.WaitGroup
	group.Add(1)
	return &group
}

// Sent is a channel into which a function of the user's sends. Whether that closes it, or those who called it do, nobody knows.
type Sent[T any] struct {
	Channel chan T
	ended   chan struct{}
}

// Sending makes a channel whose items are taken: lines if they are texts.
func Sending[T any](to *Taken) Sent[T] {
	sent := Sent[T]{make(chan T, 64), make(chan struct{})}
	go func() {
		defer close(sent.ended)
		for item := range sent.Channel {
			switch line := any(item).(type) {
			case string:
				Line(to, line)
			case []byte:
				Line(to, line)
			}
		}
	}()
	return sent
}

// End waits until all that was sent is taken.
func (s Sent[T]) End() {
	func() {
		defer func() { recover() }() // of closing it a second time
		close(s.Channel)
	}()
	<-s.ended
}

// Shut closes what a function returned open.
func Shut[T any](made T) {
	if closer, can := any(made).(io.Closer); can && !reflect.ValueOf(closer).IsZero() {
		closer.Close()
	}
}
