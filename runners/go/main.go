// Command iogauge-runner carries out Go's strategies of reading and writing files for the iogauge host, which it talks to over its standard
// input and output as docs/wire.md says.
package main

import "iogauge/runners/go/way"

func main() { way.Main() }
