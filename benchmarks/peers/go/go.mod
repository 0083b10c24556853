module iogauge/benchmarks/peers/go

go 1.21

require (
	golang.org/x/sys v0.30.0
	iogauge/runners/go v0.0.0
)

replace iogauge/runners/go => ../../../runners/go
