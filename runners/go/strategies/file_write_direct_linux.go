package strategies

import (
	"os"
	"syscall"
	"unsafe"
)

func init() {
	register(Strategy{
		Name:         "go/file-write-direct",
		Title:        "os.File.Write with O_DIRECT, from aligned memory",
		Call:         "os.File.Write, O_DIRECT",
		Operation:    "write",
		Modes:        []string{truncate},
		Durabilities: everyDurability,
		Parameters:   map[string]Parameter{"block": directBlock},
		Bypasses:     true,
		Buffer:       "reused",
		Effort:       4,
		Open: func(setup Setup) (Operation, error) {
			block := aligned(wholeSectors(int(setup.Parameters["block"])))
			return writingWith(os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_DIRECT, setup, func(file *os.File) error {
				for rest := setup.Payload; len(rest) > 0; {
					n := copy(block, rest)
					if _, err := file.Write(block[:wholeSectors(n)]); err != nil {
						return err
					}
					rest = rest[n:]
				}
				// The last sector was written whole.
				return cutAfter(file, len(setup.Payload), setup.Durability)
			}), nil
		},
	})
}

// directSector is what O_DIRECT wants of addresses and lengths, at most.
const directSector = 4096

var directBlock = Parameter{Default: 1 << 20, Min: directSector, Max: 1 << 26, Unit: "bytes", Role: "piece",
	Says: "bytes of the aligned slice, rounded up to a multiple of 4096"}

func wholeSectors(length int) int { return (length + directSector - 1) / directSector * directSector }

// aligned returns a slice that begins at a sector. Go moves nothing on its heap.
func aligned(length int) []byte {
	memory := make([]byte, length+directSector)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(memory))) & (directSector - 1))
	return memory[skip : skip+length : skip+length]
}
