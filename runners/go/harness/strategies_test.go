package harness

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"iogauge/runners/go/strategies"
)

var (
	sizes  = []int{0, 1, 63, 64, 65, 4095, 4096, 4097, 70001}
	values = []int64{1, 7, 64, 4096, 65536} // of every parameter, the others at their defaults
)

// file makes a file of the content and returns its path.
func file(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "content")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// pattern returns bytes of which every part differs from its neighbours.
// stored is a file that holds the content as a strategy wants it.
func stored(t *testing.T, s strategies.Strategy, content []byte) string {
	t.Helper()
	if s.Format != "gzip" {
		return file(t, content)
	}
	var packed bytes.Buffer
	packer := gzip.NewWriter(&packed)
	packer.Write(content) // into memory, which does not fail
	packer.Close()
	return file(t, packed.Bytes())
}

// plain tells whether a strategy takes any bytes. JSON lines are tested by iogauge check.
func plain(s strategies.Strategy) bool { return s.Format != "json-lines" }

func pattern(size int) []byte {
	content := make([]byte, size)
	for i := range content {
		content[i] = byte(7*i + i/251)
	}
	return content
}

// settings returns the parameters of a strategy as JSON, each through its values.
func settings(s strategies.Strategy) []string {
	defaults := map[string]int64{}
	for name, p := range s.Parameters {
		defaults[name] = p.Default
	}
	all := []string{quote(defaults)}
	for name, p := range s.Parameters {
		for _, value := range values {
			if value >= p.Min {
				defaults[name] = value
				all = append(all, quote(defaults))
			}
		}
		defaults[name] = p.Default
	}
	return all
}

// counted returns what a reply to sample says of count and sum, as JSON.
func counted(reply map[string]any) string {
	if reason, failed := reply["error"]; failed {
		return fmt.Sprint(reason)
	}
	return quote([]any{reply["count"], reply["sum"]})
}

// writers returns the strategies that write, but for those that not every file system allows: they go past the cache.
func writers() []strategies.Strategy {
	return slices.DeleteFunc(strategies.All(), func(s strategies.Strategy) bool { return s.Operation != "write" || s.Bypasses })
}

func TestWrites(t *testing.T) {
	for _, s := range writers() {
		for _, mode := range s.Modes {
			for _, durability := range s.Durabilities {
				all := settings(s)
				if durability != "none" {
					all = all[:1] // writes of a byte would take too long
				}
				for _, parameters := range all {
					for _, size := range sizes {
						t.Run(fmt.Sprintf("%s%s %s %s %d", s.Name, parameters, mode, durability, size), func(t *testing.T) {
							content := pattern(size)
							writes(t, openWriter(s.Name, parameters, quote(mode), quote(durability), quote(file(t, content))), mode, content)
						})
					}
				}
			}
		}
	}
}

// writes checks three operations, of which one makes a new file.
func writes(t *testing.T, open, mode string, content []byte) {
	before := []byte("there before")
	present, missing := file(t, before), filepath.Join(t.TempDir(), "missing")
	replies := ask(t, open, sample("2", "1", present), sample("1", "2", missing, present))
	for i, want := range []string{fmt.Sprintf("[[%d],null]", 2*len(content)), fmt.Sprintf("[[%d,%[1]d],null]", len(content))} {
		if got := counted(replies[i+1]); got != want {
			t.Errorf("reply %d is %s, not %s", i+1, got, want)
		}
	}
	written := map[string][]byte{present: content, missing: content}
	if mode == "append" {
		written[present] = append(before, bytes.Repeat(content, 3)...)
	}
	for path, want := range written {
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s holds %d bytes which are wrong, %d are right (%v)", filepath.Base(path), len(got), len(want), err)
		}
	}
}

func TestWriteErrors(t *testing.T) {
	folder := t.TempDir()
	good := filepath.Join(folder, "good")
	bad := map[string]string{folder: "is a directory", filepath.Join(folder, "missing", "file"): "no such file"}
	if _, err := os.Stat("/dev/full"); err == nil {
		bad["/dev/full"] = "no space left"
	}
	for _, s := range writers() {
		for _, mode := range s.Modes {
			for _, size := range []int{1, 70001} { // one that stays in a buffer till the end, and one that does not
				payload := file(t, pattern(size))
				for path, reason := range bad {
					replies := ask(t, openWriter(s.Name, settings(s)[0], quote(mode), `"none"`, quote(payload)),
						sample("1", "1", path), sample("1", "1", good))
					got, _ := replies[1]["error"].(string)
					if path == "/dev/full" && strings.HasSuffix(s.Name, "-preallocated") {
						reason = "no such device" // that could give it blocks
					}
					if !strings.Contains(got, path) || !strings.Contains(got, reason) {
						t.Errorf("%s: %q lacks %q or %q", s.Name, got, path, reason)
					}
					if got, want := counted(replies[2]), fmt.Sprintf("[[%d],null]", size); got != want {
						t.Errorf("%s: %s instead of %s after an error", s.Name, got, want)
					}
				}
			}
		}
	}
}

// TestLines compares with lines and lengths counted by hand.
func TestLines(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	cases := []struct {
		text       string
		lines, sum int
	}{
		{"", 0, 0}, {"\n", 1, 0}, {"\r\n", 1, 0}, {"\n\n", 2, 0}, {"a", 1, 1}, {"a\n", 1, 1}, {"a\r\n", 1, 1}, {"a\nb", 2, 2},
		{"a\n\nbc\r\n\r\nd", 5, 4}, {"a\rb\n", 1, 3}, {"a\r\r\n", 1, 2}, {"\x00\xff\n\xc3\xbc\n", 2, 4},
		{long, 1, 1 << 20}, {long + "\n" + long + "\r\n", 2, 2 << 20}, {strings.Repeat("12345678\n", 9000), 9000, 72000},
		{"cut\r", 1, 3}, // the end of the file cuts an end of a line in two: both APIs count as if it were whole
	}
	for _, s := range strategies.All() {
		if s.Unit != "line" || !plain(s) {
			continue
		}
		for _, c := range cases {
			path := stored(t, s, []byte(c.text))
			for _, parameters := range settings(s) {
				for _, consume := range []string{"none", "sum"} {
					request := open(s.Name, parameters, consume)
					if s.NeedsPayload() {
						request = openInMemory(s.Name, parameters, consume, path)
					}
					reply := ask(t, request, sample("1", "1", path))[1]
					want := fmt.Sprintf("[[%d],[%d]]", c.lines, c.sum)
					if consume == "none" {
						want = fmt.Sprintf("[[%d],null]", c.lines)
					}
					if got := counted(reply); got != want {
						t.Errorf("%s%s of %.20q, consume %s: %s instead of %s", s.Name, parameters, c.text, consume, got, want)
					}
				}
			}
		}
	}
}

// TestComputeOnlyVariantsConsumeAlike compares each compute-only variant with those whose work it does, on the same bytes: those of whole files.
func TestComputeOnlyVariantsConsumeAlike(t *testing.T) {
	for _, s := range strategies.All() {
		if s.ComputeOnly == "" || s.NeedsOffsets() || !plain(s) || s.Bypasses {
			continue
		}
		computeOnly, _ := strategies.Find(s.ComputeOnly)
		for _, size := range sizes {
			path, payload := stored(t, s, pattern(size)), file(t, pattern(size))
			for _, consume := range s.Consumes {
				alone := settings(computeOnly)
				lines := []string{open(s.Name, settings(s)[0], string(consume)), sample("2", "2", path)}
				for _, parameters := range alone {
					lines = append(lines, openInMemory(computeOnly.Name, parameters, string(consume), payload), sample("2", "2", "ignored"))
				}
				replies := ask(t, lines...)
				want := counted(replies[1])
				for i := 3; i < len(replies); i += 2 {
					if got := counted(replies[i]); got != want {
						t.Errorf("%s of %d bytes, consume %s: %s; %s%s: %s", s.Name, size, consume, want, computeOnly.Name, alone[i/2-1], got)
					}
				}
			}
		}
	}
}
