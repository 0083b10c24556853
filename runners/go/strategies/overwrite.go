package strategies

import (
	"os"
)

func init() {
	register(Strategy{
		Name:         "go/file-overwrite",
		Title:        "os.File.Write over what is there, then Truncate",
		Call:         "os.File.Write, overwriting",
		Operation:    "write",
		Modes:        []string{truncate},
		Durabilities: everyDurability,
		Parameters:   map[string]Parameter{"block": writeBlock},
		Buffer:       "reused",
		Effort:       3,
		Open: func(setup Setup) (Operation, error) {
			block := int(setup.Parameters["block"])
			return writingWith(os.O_WRONLY|os.O_CREATE, setup, func(file *os.File) error {
				if err := writeBlocks(file, setup.Payload, block); err != nil {
					return err
				}
				return cutAfter(file, len(setup.Payload), setup.Durability)
			}), nil
		},
	})
}

// cutAfter removes what a file still holds behind the new data. To wait for each write says nothing of that.
func cutAfter(file *os.File, size int, durability string) error {
	info, err := file.Stat()
	if err != nil || info.Size() <= int64(size) || !info.Mode().IsRegular() {
		return err
	}
	if err := file.Truncate(int64(size)); err != nil || durability != dsync {
		return err
	}
	return file.Sync()
}
