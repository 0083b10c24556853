package harness

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"
)

type greeting struct {
	Verb            string   `json:"verb"`
	Wire            int      `json:"wire"`
	Runner          string   `json:"runner"`
	Runtime         string   `json:"runtime"`
	Name            string   `json:"name"`
	Version         string   `json:"version"`
	Flags           []string `json:"flags"`
	ClockResolution int64    `json:"clock_resolution_ns"`
}

func hello() greeting {
	return greeting{
		Verb:            "hello",
		Wire:            wireVersion,
		Runner:          "go",
		Runtime:         "go-" + version(),
		Name:            fmt.Sprintf("Go %s %s/%s", runtime.Compiler, runtime.GOOS, runtime.GOARCH),
		Version:         version(),
		Flags:           flags(),
		ClockResolution: clockResolution(),
	}
}

// version returns the digits of Go's version, 1.26.8 for "go1.26.8 X:simd", as runner.toml's pattern does.
func version() string {
	v := strings.TrimPrefix(runtime.Version(), "go")
	if end := strings.IndexFunc(v, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }); end >= 0 {
		v = v[:end]
	}
	return v
}

// flags returns the settings that decide how this process runs, as the runtime reports them: Go has no launch flags, but
// takes these from the environment and the build.
func flags() []string {
	settings := []metrics.Sample{
		{Name: "/sched/gomaxprocs:threads"}, {Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"},
	}
	metrics.Read(settings)
	known := []string{}
	for i, name := range []string{"GOMAXPROCS", "GOGC", "GOMEMLIMIT"} {
		switch value := settings[i].Value; {
		case value.Kind() != metrics.KindUint64:
		case value.Uint64() >= math.MaxInt64: // no limit; GOGC=off is the largest unsigned number
			known = append(known, name+"=off")
		default:
			known = append(known, fmt.Sprintf("%s=%d", name, value.Uint64()))
		}
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range build.Settings {
			if setting.Key == "GOAMD64" || setting.Key == "GOARM64" || setting.Key == "GOEXPERIMENT" {
				known = append(known, setting.Key+"="+setting.Value)
			}
		}
	}
	return known
}

// epoch makes the clock a single monotonic reading.
var epoch = time.Now()

// clock returns the monotonic time in ns since an arbitrary moment.
func clock() int64 { return int64(time.Since(epoch)) }

// clockResolution returns the smallest step in ns seen between two readings of the clock.
func clockResolution() int64 {
	smallest := int64(math.MaxInt64)
	for steps := 0; steps < 1000; {
		before := clock()
		if step := clock() - before; step > 0 {
			smallest = min(smallest, step)
			steps++
		}
	}
	return smallest
}
