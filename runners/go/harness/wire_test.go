package harness

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
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
		`, "workload": {"operation": "read", "consume": "` + consume + `"}, "payload": null, "offsets": null}`
}

func TestRefusals(t *testing.T) {
	cases := []struct{ line, reason string }{
		{`nonsense`, "not a JSON object"},
		{``, "not a JSON object"},
		{`[1]`, "not a JSON object"},
		{`{"verb": "fly"}`, `unknown verb "fly"`},
		{`{"verb": 7}`, "verb must be a string, not number"},
		{`{"verb": "sample", "operations": 1, "samples": 1, "paths": ["x"]}`, "before open"},
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
	sample := func(operations, samples string, paths ...string) string {
		quoted, _ := json.Marshal(paths)
		return `{"verb": "sample", "operations": ` + operations + `, "samples": ` + samples + `, "paths": ` + string(quoted) + `}`
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
	for i, want := range []string{"", "[2 2] [2 2]", "[3 4] [258 514]", "missing", folder, "operations", "samples",
		"operations must be an integer", "paths must hold 1 path or operations × samples = 4, not 2", "[2] [257]"} {
		reply := replies[i]
		got, failed := reply["error"].(string)
		if !failed && i > 0 {
			text, _ := json.Marshal([]any{reply["bytes"], reply["sum"]})
			got = strings.NewReplacer("],[", "] [", "[[", "[", "]]", "]", ",", " ").Replace(string(text))
		}
		if !strings.Contains(got, want) {
			t.Errorf("reply %d is %q, lacks %q", i, got, want)
		}
	}
	replies = ask(t, open("go/read-file", `{}`, "none"), sample("1", "1", two))
	if sum, present := replies[1]["sum"]; !present || sum != nil {
		t.Errorf("sum of consume none is %v, not null", sum)
	}
}

func TestDeclarations(t *testing.T) {
	for _, s := range strategies.All() {
		if len(s.Title) == 0 || len(s.Title) > 60 {
			t.Errorf("%s: title of %d bytes", s.Name, len(s.Title))
		}
		for name, p := range s.Parameters {
			if p.Min > p.Default || p.Default > p.Max || p.Says == "" {
				t.Errorf("%s: bad declaration of %s", s.Name, name)
			}
		}
	}
}
