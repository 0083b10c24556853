package work

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// Variables of the environment: the folder of two pipes, how many operations a run has that waits for its turn, and how many come before them that do not count.
const (
	turnsVariable      = "IOGAUGE_PEER_TURNS"
	operationsVariable = "IOGAUGE_PEER_OPERATIONS"
	preludeVariable    = "IOGAUGE_PEER_PRELUDE"
)

// turns lets runs of the benchmark begin when whoever started it says so, so that two tools can take turns: each byte that is
// read is a number of runs, and one is written when they are over. Without pipes for it they begin at once.
type turns struct {
	begin, done *os.File
	operations  int
	prelude     int
	left        byte
	unremoved   bool // files of the first half of a batch are there
}

var taken turns

func TestMain(m *testing.M) {
	if err := taken.open(os.Getenv(turnsVariable)); err != nil {
		panic(err)
	}
	status := m.Run()
	if taken.done != nil {
		taken.done.Write([]byte{1})
	}
	os.Exit(status)
}

func (t *turns) open(folder string) error {
	if folder == "" {
		return nil
	}
	var errs [4]error
	t.begin, errs[0] = os.Open(filepath.Join(folder, "begin"))
	t.done, errs[1] = os.OpenFile(filepath.Join(folder, "done"), os.O_WRONLY, 0)
	t.operations, errs[2] = strconv.Atoi(os.Getenv(operationsVariable))
	t.prelude, errs[3] = strconv.Atoi(os.Getenv(preludeVariable))
	return errors.Join(errs[:]...)
}

// are tells whether a run of so many operations waits for its turn: testing begins with runs of one operation, which do not count.
func (t *turns) are(operations int) bool {
	return t.begin != nil && operations == t.operations
}

// await is to be called before each run.
func (t *turns) await(operations int) error {
	if !t.are(operations) {
		return nil
	}
	if t.left == 0 {
		if _, err := t.done.Write([]byte{1}); err != nil {
			return err
		}
		next := make([]byte, 1)
		if _, err := t.begin.Read(next); err != nil {
			return err
		}
		t.left = next[0]
	}
	t.left--
	return nil
}
