package plain

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
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
