package strategies

import "iogauge/runners/go/consume"

func init() {
	register(Strategy{
		Name:       "go/null",
		Title:      "nothing: the harness's own cost",
		Call:       "nothing",
		Operation:  "read",
		Unit:       "file",
		Medium:     "file",
		Sums:       "byte",
		Consumes:   []consume.Kind{consume.None},
		Parameters: noParameters,
		Effort:     1,
		Role:       "null",
		Open: func(Setup) (Operation, error) {
			return func(string, *consume.Tally) error { return nil }, nil
		},
	})
}
