package strategies

import "iogauge/runners/go/consume"

func init() {
	register(Strategy{
		Name:     "go/null",
		Title:    "nothing: the harness's own cost",
		Call:     "nothing",
		Unit:     "file",
		Consumes: []consume.Kind{consume.None},
		Effort:   1,
		Role:     "null",
		Open: func(Setup) (Operation, error) {
			return func(string, *consume.Tally) error { return nil }, nil
		},
	})
}
