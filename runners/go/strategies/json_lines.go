package strategies

import (
	"bufio"
	"encoding/json"
	"os"

	"iogauge/runners/go/consume"
)

// record is what a program would have of a line of the data: a value for each of its keys.
type record struct {
	ID    int64    `json:"id"`
	Name  string   `json:"name"`
	Price float64  `json:"price"`
	Tags  []string `json:"tags"`
	Sold  bool     `json:"sold"`
}

func init() {
	register(Strategy{
		Name:        "go/json-lines",
		Title:       "bufio.Scanner, json.Unmarshal of each line",
		Call:        "json.Unmarshal per line",
		Unit:        "line",
		Sums:        "line-byte",
		Consumes:    lineKinds,
		Format:      "json-lines",
		Parameters:  map[string]Parameter{"buffer": scannerBuffer},
		Buffer:      "new",
		Effort:      2,
		ComputeOnly: "go/scan-lines",
		Open: func(setup Setup) (Operation, error) {
			size := int(setup.Parameters["buffer"])
			return func(path string, tally *consume.Tally) error {
				file, err := os.Open(path)
				if err != nil {
					return err
				}
				defer file.Close()
				lines := bufio.NewScanner(file)
				lines.Buffer(make([]byte, size), longestLine)
				for lines.Scan() {
					var found record
					if err := json.Unmarshal(lines.Bytes(), &found); err != nil {
						return err
					}
					tally.LineBytes(lines.Bytes())
				}
				return lines.Err()
			}, nil
		},
	})
}
