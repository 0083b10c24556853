package strategies

import "iogauge/runners/go/consume"

func init() {
	register(Strategy{
		Name:       "go/consume-array",
		Title:      "consuming blocks of memory",
		Call:       "consuming blocks of memory",
		Medium:     "memory",
		Parameters: map[string]Parameter{"block": consumeBlock},
		Effort:     2,
		Role:       "compute_only",
		Open: func(setup Setup) (Operation, error) {
			block := int(setup.Parameters["block"])
			return func(_ string, tally *consume.Tally) error {
				for rest := setup.Payload; len(rest) > 0; {
					n := min(block, len(rest))
					tally.Block(rest[:n])
					rest = rest[n:]
				}
				return nil
			}, nil
		},
	})
	register(Strategy{
		Name:   "go/consume-byte",
		Title:  "consuming memory byte by byte",
		Call:   "consuming memory byte by byte",
		Unit:   "byte",
		Medium: "memory",
		Effort: 2,
		Role:   "compute_only",
		Open: func(setup Setup) (Operation, error) {
			return func(_ string, tally *consume.Tally) error {
				for _, b := range setup.Payload {
					tally.Byte(b)
				}
				return nil
			}, nil
		},
	})
}

var consumeBlock = piece("bytes consumed at a time")
