// Package work carries out the Go runner's own strategies for programs that are not the runner.
package work

import (
	"encoding/json"
	"fmt"
	"os"

	"iogauge/runners/go/consume"
	"iogauge/runners/go/strategies"
)

// Variable is the variable of the environment that names the file of the work.
const Variable = "IOGAUGE_PEER_WORK"

// Work is what is to be measured, as works.py wrote it down.
type Work struct {
	Opening     string   `json:"opening"` // the request that opens the strategy
	Path        string   `json:"path"`    // what its operations read; in memory it means nothing
	Due         Due      `json:"due"`
	DeviceBytes int64    `json:"device_bytes"` // how many bytes a cold operation has to fetch from the device; 0 where it is not cold
	Written     *Written `json:"written"`      // the files that operations write, or nil

	operation strategies.Operation
	tally     *consume.Tally
}

// Due is what each operation has to consume.
type Due struct {
	Count  int64  `json:"count"`
	Sum    *int64 `json:"sum"`     // nil where none is known
	OfLast bool   `json:"of_last"` // whether the sum found is that of the last operation only
}

// opening holds what a strategy is told of an open request (docs/wire.md).
type opening struct {
	Strategy   string           `json:"strategy"`
	Parameters map[string]int64 `json:"parameters"`
	Workload   struct {
		Consume    consume.Kind `json:"consume"`
		Mode       string       `json:"mode"`
		Durability string       `json:"durability"`
	} `json:"workload"`
	Payload string `json:"payload"`
}

// Open reads the file of the work and prepares its strategy.
func Open(file string) (*Work, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var w Work
	if err := json.Unmarshal(text, &w); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var asked opening
	if err := json.Unmarshal([]byte(w.Opening), &asked); err != nil {
		return nil, fmt.Errorf("%s: opening: %w", file, err)
	}
	strategy, found := strategies.Find(asked.Strategy)
	if !found {
		return nil, fmt.Errorf("the runner has no strategy %s", asked.Strategy)
	}
	setup := strategies.Setup{
		Parameters: asked.Parameters, Mode: asked.Workload.Mode, Durability: asked.Workload.Durability,
	}
	if strategy.NeedsPayload() {
		if setup.Payload, err = os.ReadFile(asked.Payload); err != nil {
			return nil, err
		}
	}
	w.tally = consume.NewTally(asked.Workload.Consume)
	w.operation, err = strategy.Open(setup)
	return &w, err
}

// Run carries out one operation, as the runner's loop does.
func (w *Work) Run(path string) error {
	w.tally.NextFile()
	return w.operation(path, w.tally)
}

// Check refuses what was consumed since its last call unless that is the work of so many operations.
func (w *Work) Check(operations int) error {
	count, sum := w.tally.Count(), w.tally.Sum()
	w.tally.Reset()
	due := w.Due
	right := count == int64(operations)*due.Count
	if due.Sum != nil {
		times := int64(operations)
		if due.OfLast {
			times = 1
		}
		right = right && sum == times**due.Sum
	}
	if !right {
		return fmt.Errorf("%d operations gave count %d, sum %d: not %d times what was due", operations, count, sum, operations)
	}
	return nil
}
