"""The runners' strategies under other tools: JMH, Go's testing package, hyperfine."""
