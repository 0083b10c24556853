package strategies

import (
	"os"

	"iogauge/runners/go/consume"
)

func init() {
	register(Strategy{
		Name:         "go/write-file",
		Title:        "os.WriteFile",
		Call:         "os.WriteFile",
		Operation:    "write",
		Unit:         "file",
		Medium:       "file",
		Sums:         "byte",
		Consumes:     nothing,
		Modes:        []string{truncate},
		Durabilities: []string{notDurable},
		Parameters:   noParameters,
		Buffer:       "reused",
		Effort:       1,
		Role:         "contestant",
		Open: func(setup Setup) (Operation, error) {
			return func(path string, tally *consume.Tally) error {
				tally.Written(len(setup.Payload))
				return os.WriteFile(path, setup.Payload, permissions)
			}, nil
		},
	})
}
