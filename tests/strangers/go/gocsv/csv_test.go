package gocsv

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(m.Run()) }

func TestMissing(t *testing.T) {
	if _, err := CsvRead("missing"); err == nil {
		t.Fatal("no error")
	}
}
