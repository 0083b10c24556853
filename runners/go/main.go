// Command iogauge-runner carries out Go's strategies of reading and writing files for the iogauge host, which it talks to over its standard
// input and output as docs/wire.md says.
package main

import (
	"fmt"
	"os"

	"iogauge/runners/go/harness"
)

func main() {
	channel := os.Stdout
	os.Stdout = os.Stderr // whatever a library prints must not end up on the channel
	if err := harness.Serve(os.Stdin, channel); err != nil {
		fmt.Fprintln(os.Stderr, "iogauge-runner:", err)
		os.Exit(1)
	}
}
