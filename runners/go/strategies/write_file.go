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
		Modes:        []string{truncate},
		Durabilities: []string{notDurable},
		Buffer:       "reused",
		Effort:       1,
		Open: func(setup Setup) (Operation, error) {
			return func(path string, tally *consume.Tally) error {
				tally.Written(len(setup.Payload))
				return os.WriteFile(path, setup.Payload, permissions)
			}, nil
		},
	})
}
