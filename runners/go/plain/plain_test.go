package plain

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"iogauge/runners/go/consume"
	"iogauge/runners/go/strategies"
)

func read(t *testing.T, name string, kind consume.Kind) (*consume.Tally, error) {
	t.Helper()
	strategy, found := strategies.Find(name)
	if !found {
		t.Fatalf("no strategy %s", name)
	}
	operation, err := strategy.Open(strategies.Setup{Consume: kind})
	if err != nil {
		t.Fatal(err)
	}
	tally := consume.NewTally(kind)
	return tally, operation("a path", tally)
}

func TestAFunctionThatReturnsBytesIsCheckedOrTakenForItsResult(t *testing.T) {
	Add("ReadAll", "ReadAll(path)", Bytes, func(_ string, to *Taken) error {
		Text(to, []byte("\x01\x02\x03"))
		return nil
	})
	tally, err := read(t, "go/own-read-all", consume.Sum)
	if err != nil || tally.Count() != 3 || tally.Sum() != 6 {
		t.Errorf("count %d, sum %d, error %v", tally.Count(), tally.Sum(), err)
	}
	tally, _ = read(t, "go/own-read-all-as-result", consume.None)
	other, _ := strategies.Find("go/own-read-all-as-result")
	if tally.Count() != 0 || other.InsteadOf != "go/own-read-all" || other.Sums != "nothing" || other.Told() == nil {
		t.Errorf("count %d, %+v", tally.Count(), other)
	}
}

func TestOfTwoFunctionsWithTheSameWordsTheSecondHasANumber(t *testing.T) {
	nothing := func(string, *Taken) error { return nil }
	Add("Log.Lines", "Log.Lines(path)", Anything, nothing)
	Add("logLines", "logLines(path)", Anything, nothing)
	for _, name := range []string{"go/own-log-lines", "go/own-log-lines-2"} {
		if _, found := strategies.Find(name); !found {
			t.Errorf("no %s", name)
		}
	}
}

func TestAFunctionWhoseCallDoesNotCompileIsUnavailable(t *testing.T) {
	Without("Log.Words", "Log.Words(path)", "cannot use x")
	found, _ := strategies.Find("go/own-log-words")
	if found.Unavailable == nil || *found.Unavailable != "Log.Words() cannot be called: cannot use x" {
		t.Errorf("%+v", found)
	}
}

func TestAPanicIsToldWithItsPlace(t *testing.T) {
	Add("trips", "trips(path)", Anything, func(string, *Taken) error {
		var none []int
		return fmt.Errorf("%d", none[len(none)])
	})
	_, err := read(t, "go/own-trips", consume.None)
	if err == nil || !strings.HasPrefix(err.Error(), "plain_test.go:") || !strings.HasSuffix(err.Error(), "index out of range [0] with length 0") {
		t.Error(err)
	}
}

func TestLinesAreTakenWithOrWithoutTheirEnds(t *testing.T) {
	lines := []string{"one\n", "two\r\n", "three", ""}
	yield := func(yield func(string) bool) {
		for _, line := range lines {
			if !yield(line) {
				return
			}
		}
	}
	sent := make(chan string, len(lines))
	for _, line := range lines {
		sent <- line
	}
	close(sent)
	for name, take := range map[string]func(*Taken){
		"slice":   func(to *Taken) { Slice(to, lines) },
		"yielded": func(to *Taken) { Each(to, yield) },
		"sent":    func(to *Taken) { Receive(to, sent) },
		"scanned": func(to *Taken) { Scan(to, bufio.NewScanner(strings.NewReader("one\r\ntwo\nthree\n\n"))) },
	} {
		to := &Taken{tally: consume.NewTally(consume.Sum)}
		take(to)
		if to.tally.Count() != 4 || to.tally.Sum() != 3+3+5 {
			t.Errorf("%s: count %d, sum %d", name, to.tally.Count(), to.tally.Sum())
		}
	}
}

func TestAReaderIsReadToItsEndAndClosed(t *testing.T) {
	closed := false
	to := &Taken{tally: consume.NewTally(consume.Sum)}
	err := Rest(to, closing{strings.NewReader("\x01\x02"), &closed})
	if err != nil || to.tally.Sum() != 3 || !closed {
		t.Errorf("sum %d, closed %v, error %v", to.tally.Sum(), closed, err)
	}
}

type closing struct {
	io.Reader
	closed *bool
}

func (c closing) Close() error { *c.closed = true; return nil }

type stats struct {
	lines int
	mean  float64
	name  string
}

type timed struct {
	lines int
	took  time.Duration
}

func number[T any](result T) *int64 {
	var to Taken
	Keep(&to, 0, result)
	return to.number()
}

func TestTheNumberOfAResultIsTheSameForTheSameResult(t *testing.T) {
	one, other := stats{3, 1.0000000001, "a"}, stats{3, 1.0000000002, "a"}
	for _, pair := range [][2]*int64{
		{number(3), number(uint8(3))},
		{number(one), number(&other)},
		{number(map[string]int{"a": 1, "b": 2}), number(map[string]int{"b": 2, "a": 1})},
		{number([]string{"x"}), number([1]string{"x"})},
	} {
		if pair[0] == nil || pair[1] == nil || *pair[0] != *pair[1] {
			t.Error(pair)
		}
	}
	if *number(3) == *number(4) || *number("a") == *number("b") {
		t.Error("two results have the same number")
	}
}

func TestWhatIsLargeOrTimesSomethingIsNotCompared(t *testing.T) {
	for _, each := range []*int64{
		number(make([]int, mostItems+1)), number(strings.Repeat("x", mostBytes+1)), number(timed{}), number(func() {}),
		number(struct{ rows []int }{}), number[any](3),
	} {
		if each != nil {
			t.Error(*each)
		}
	}
	var to Taken
	Keep(&to, 0, make([]int, 2*mostItems))
	Keep(&to, 0, []int{1})
	if to.number() == nil {
		t.Error("a small result after a large one is not compared")
	}
}

type lineError struct{ line int }

func (e *lineError) Error() string { return fmt.Sprint("line ", e.line) }

func TestAnErrorOfTheirOwnTypeMayBeANilPointer(t *testing.T) {
	if err := Failure((*lineError)(nil)); err != nil {
		t.Error(err)
	}
	if err := Failure(&lineError{3}); err == nil || err.Error() != "line 3" {
		t.Error(err)
	}
}

func TestTheEndOfTheFileIsNoFailure(t *testing.T) {
	wrong := errors.New("wrong")
	if ends, err := Ended(fmt.Errorf("record: %w", io.EOF)); !ends || err != nil {
		t.Error(ends, err)
	}
	if ends, err := Ended(wrong); !ends || err != wrong {
		t.Error(ends, err)
	}
	if ends, _ := Ended(nil); ends {
		t.Error("it goes on")
	}
}

func BenchmarkNothing(b *testing.B) {
	Add("benchmarked", "benchmarked(path)", Anything, func(path string, to *Taken) error {
		Keep(to, 0, len(path))
		return nil
	})
	strategy, _ := strategies.Find("go/own-benchmarked")
	operation, _ := strategy.Open(strategies.Setup{})
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		operation("path", nil)
	}
}
