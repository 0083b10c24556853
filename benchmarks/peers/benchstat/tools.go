//go:build tools

// Package benchstat pins the version of benchstat that gobench.py builds. It is a module of its own: what benchstat needs must
// not decide which version of anything the runner's code is compiled with.
package benchstat

import _ "golang.org/x/perf/cmd/benchstat"
