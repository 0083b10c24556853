module iogauge/runners/go

go 1.21

require golang.org/x/sys v0.30.0
