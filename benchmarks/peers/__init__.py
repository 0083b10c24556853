"""The runners' own strategies under other people's tools: JMH, Go's testing package with benchstat,
hyperfine.
"""
