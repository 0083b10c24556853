package records

import (
	"encoding/json"
	"errors"
	"io"
	"os"
)

// Record is a line of the file.
type Record struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

// LoadAll returns all records.
func LoadAll(jsonl_path string) ([]Record, error) {
	file, err := os.Open(jsonl_path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var records []Record
	decoder := json.NewDecoder(file)
	for {
		var record Record
		if err := decoder.Decode(&record); errors.Is(err, io.EOF) {
			return records, nil
		} else if err != nil {
			return nil, err
		}
		records = append(records, record)
	}
}

// Reader gives one record after another.
type Reader struct{ decoder *json.Decoder }

// NewReader reads from r.
func NewReader(r io.Reader) *Reader { return &Reader{json.NewDecoder(r)} }

// Next returns io.EOF behind the last record.
func (r *Reader) Next() (record Record, err error) {
	err = r.decoder.Decode(&record)
	return record, err
}
