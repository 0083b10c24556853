package harness

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"iogauge/runners/go/strategies"
)

// ask sends the lines to one runner and returns its replies.
func ask(t *testing.T, lines ...string) []map[string]any {
	t.Helper()
	var out bytes.Buffer
	if err := Serve(strings.NewReader(strings.Join(lines, "\n")+"\n"), &out); err != nil {
		t.Fatal(err)
	}
	texts := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(texts) != len(lines) {
		t.Fatalf("%d replies to %d requests", len(texts), len(lines))
	}
	replies := make([]map[string]any, len(texts))
	for i, text := range texts {
		if err := json.Unmarshal([]byte(text), &replies[i]); err != nil {
			t.Fatal(err)
		}
	}
	return replies
}

func open(strategy, parameters, consume string) string {
	return `{"verb": "open", "strategy": "` + strategy + `", "parameters": ` + parameters +
		`, "workload": {"operation": "read", "consume": "` + consume + `", "mode": null, "durability": null}, "payload": null, "offsets": null}`
}

// openWriter takes the values of mode, durability and payload as JSON.
func openWriter(strategy, parameters, mode, durability, payload string) string {
	return `{"verb": "open", "strategy": "` + strategy + `", "parameters": ` + parameters +
		`, "workload": {"operation": "write", "consume": "none", "mode": ` + mode + `, "durability": ` + durability +
		`}, "payload": ` + payload + `, "offsets": null}`
}

// openInMemory takes the payload's path.
func openInMemory(strategy, parameters, consume, payload string) string {
	return strings.Replace(open(strategy, parameters, consume), `"payload": null`, `"payload": `+quote(payload), 1)
}

func sample(operations, spans string, paths ...string) string {
	return `{"verb": "sample", "operations": ` + operations + `, "spans": ` + spans + `, "paths": ` + quote(paths) + `}`
}

// quote returns the value as JSON.
func quote(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestRefusals(t *testing.T) {
	cases := []struct{ line, reason string }{
		{`nonsense`, "not a JSON object"},
		{``, "not a JSON object"},
		{`[1]`, "not a JSON object"},
		{`{"verb": "fly"}`, `unknown verb "fly"`},
		{`{"verb": 7}`, "verb must be a string, not number"},
		{`{"verb": "sample", "operations": 1, "spans": 1, "paths": ["x"]}`, "before open"},
		{open("go/none", `{}`, "sum"), `unknown strategy "go/none"`},
		{open("go/file-read", `{}`, "sum"), "parameter block is missing, it must be an integer from 1 to 1073741824"},
		{open("go/file-read", `{"block": 0}`, "sum"), "parameter block must be an integer from 1 to 1073741824, not 0"},
		{open("go/file-read", `{"block": -1}`, "sum"), "not -1"},
		{open("go/file-read", `{"block": 1073741825}`, "sum"), "not 1073741825"},
		{open("go/file-read", `{"block": 1.5}`, "sum"), "not 1.5"},
		{open("go/file-read", `{"block": "8"}`, "sum"), `not "8"`},
		{open("go/file-read", `{"block": null}`, "sum"), "not null"},
		{open("go/file-read", `{"block": 8, "buffer": 8}`, "sum"), "unknown parameter buffer"},
		{open("go/bufio-read-byte", `{"buffer": 15}`, "sum"), "parameter buffer must be an integer from 16"},
		{open("go/file-read", `{"block": 8}`, "lines"), "consume must be one of"},
		{open("go/mmap", `{}`, "none"), "consume must be one of"},
		{strings.Replace(open("go/mmap", `{}`, "sum"), `"read"`, `"write"`, 1), `operation must be "read"`},
		{strings.Replace(open("go/mmap", `{}`, "sum"), `"mode": null`, `"mode": "append"`, 1), `mode must be null, not "append"`},
		{strings.Replace(open("go/mmap", `{}`, "sum"), `"mode": null`, `"mode": 1`, 1), "workload.mode must be a string, not number"},
		{strings.Replace(open("go/mmap", `{}`, "sum"), `"durability": null`, `"durability": "none"`, 1), "durability must be null"},
		{open("go/bufio-scanner-line", `{"buffer": 8}`, "touch"), "consume must be one of"},
		{open("go/consume-array", `{"block": 8}`, "sum"), "payload is missing"},
		{openInMemory("go/consume-byte", `{}`, "sum", "/no/payload"), "/no/payload"},
		{openInMemory("go/consume-byte", `{}`, "sum", "/"), "payload: read /: is a directory"},
		{openWriter("go/file-write", `{"block": 8}`, `"truncate"`, `"none"`, `null`), "payload is missing"},
		{openWriter("go/file-write", `{"block": 8}`, `"truncate"`, `"none"`, `7`), "payload must be a string, not number"},
		{openWriter("go/file-write", `{"block": 8}`, `null`, `"none"`, `"/dev/null"`), `mode is missing, it must be one of ["truncate" "append"]`},
		{openWriter("go/file-write", `{"block": 8}`, `"create"`, `"none"`, `"/dev/null"`), `mode must be one of ["truncate" "append"], not "create"`},
		{openWriter("go/file-write", `{"block": 8}`, `"append"`, `null`, `"/dev/null"`), "durability is missing"},
		{openWriter("go/file-write", `{"block": 8}`, `"append"`, `"sync"`, `"/dev/null"`), `durability must be one of ["none" "fsync"`},
		{openWriter("go/write-file", `{}`, `"append"`, `"none"`, `"/dev/null"`), "mode must be one of"},
		{openWriter("go/write-file", `{}`, `"truncate"`, `"fsync"`, `"/dev/null"`), "durability must be one of"},
		{openWriter("go/read-file", `{}`, `"truncate"`, `"none"`, `"/dev/null"`), `operation must be "read"`},
	}
	for _, c := range cases {
		replies := ask(t, c.line, `{"verb": "release"}`)
		if reason, _ := replies[0]["error"].(string); !strings.Contains(reason, c.reason) {
			t.Errorf("%s: %q lacks %q", c.line, reason, c.reason)
		}
		if replies[1]["verb"] != "release" {
			t.Errorf("%s: not usable afterwards: %v", c.line, replies[1])
		}
	}
}

func TestSampleRequests(t *testing.T) {
	folder := t.TempDir()
	one, two := filepath.Join(folder, "one"), filepath.Join(folder, "two")
	for path, text := range map[string]string{one: "\x01", two: "\x02\xff"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	replies := ask(t, open("go/read-file", `{}`, "sum"),
		sample("2", "2", one),
		sample("2", "2", one, two, two, two),
		sample("1", "1", filepath.Join(folder, "missing")),
		sample("1", "1", folder),
		sample("0", "1", one),
		sample("1", "0", one),
		sample("1.5", "1", one),
		sample("2", "2", one, two),
		sample("1", "1", two))
	for i, want := range []string{"", "[[2,2],[2,2]]", "[[3,4],[258,514]]", "missing", folder, "operations", "spans",
		"operations must be an integer", "paths must hold 1 path or operations × spans = 4, not 2", "[[2],[257]]"} {
		if got := counted(replies[i]); !strings.Contains(got, want) {
			t.Errorf("reply %d is %q, lacks %q", i, got, want)
		}
	}
	replies = ask(t, open("go/read-file", `{}`, "none"), sample("1", "1", two))
	if sum, present := replies[1]["sum"]; !present || sum != nil {
		t.Errorf("sum of consume none is %v, not null", sum)
	}
}

// TestOneReadPerRequest sends the largest request that the host makes through a pipe, as it does.
func TestOneReadPerRequest(t *testing.T) {
	in, host, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	paths := make([]string, 256)
	for i := range paths {
		paths[i] = "/" + strings.Repeat("p", 90)
	}
	requests := &countingReader{Reader: in}
	replies, replied := make(chan string), make(chan error)
	go func() { replied <- Serve(requests, linesTo(replies)) }()
	for i, line := range []string{open("go/null", `{}`, "none"), sample("1", "256", paths...), sample("256", "1", paths...)} {
		if _, err := io.WriteString(host, line+"\n"); err != nil {
			t.Fatal(err)
		}
		if reply := <-replies; strings.Contains(reply, "error") {
			t.Fatal(reply)
		}
		if requests.reads != i+1 {
			t.Errorf("%d reads for %d requests", requests.reads, i+1)
		}
	}
	host.Close()
	if err := <-replied; err != nil {
		t.Error(err)
	}
}

// countingReader counts the reads that brought something.
type countingReader struct {
	io.Reader
	reads int
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.reads++
	}
	return n, err
}

// linesTo sends each write on.
type linesTo chan<- string

func (l linesTo) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

func TestDeclarations(t *testing.T) {
	for _, s := range strategies.All() {
		if len(s.Title) == 0 || len(s.Title) > 60 {
			t.Errorf("%s: title of %d bytes", s.Name, len(s.Title))
		}
		if len(s.Call) == 0 || len(s.Call) > 34 {
			t.Errorf("%s: call of %d bytes", s.Name, len(s.Call))
		}
		for name, p := range s.Parameters {
			if p.Min > p.Default || p.Default > p.Max || p.Says == "" {
				t.Errorf("%s: bad declaration of %s", s.Name, name)
			}
		}
		if writes := s.Operation != "read"; writes != (len(s.Modes) > 0) || writes != slices.Contains(s.Durabilities, "none") {
			t.Errorf("%s: operation %s, modes %q, durabilities %q", s.Name, s.Operation, s.Modes, s.Durabilities)
		}
		if s.ComputeOnly == "" {
			continue
		}
		computeOnly, _ := strategies.Find(s.ComputeOnly)
		if computeOnly.Role != "compute_only" || computeOnly.Operation != "read" || computeOnly.Medium != "memory" {
			t.Errorf("%s: %q is no compute-only variant", s.Name, s.ComputeOnly)
		}
		for _, kind := range s.Consumes {
			if !slices.Contains(computeOnly.Consumes, kind) {
				t.Errorf("%s: its compute-only variant lacks consume %s", s.Name, kind)
			}
		}
	}
}
