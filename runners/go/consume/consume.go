// Package consume does with file data what a workload asks for: nothing, a touch of every cache line, or a sum of every
// byte or of the lengths of all lines. It holds the runner's only loops over data, so that all strategies are equal in
// this, and it counts what they read or wrote.
package consume

import "unsafe"

// Kind says what is done with what an API delivered.
type Kind string

const (
	// None looks at nothing. It is honest only where the API itself moves every byte.
	None Kind = "none"
	// Touch adds the unsigned bytes at the file offsets divisible by 64.
	Touch Kind = "touch"
	// Sum adds all unsigned bytes, or the lengths of all lines.
	Sum Kind = "sum"
)

// cacheLine is the distance in bytes between two touched offsets.
const cacheLine = 64

// Tally consumes the files of one span, each from its start to its end, and counts what it was given: bytes or lines,
// as one strategy gives only the one or the other.
type Tally struct {
	kind   Kind
	mask   int64 // a byte counts where offset&mask is 0
	offset int64 // in the current file, in bytes or lines
	before int64 // with offset, the bytes or lines of all so far: those of the files before it, less what was left out here
	sum    uint64
}

// NewTally returns an empty tally for consuming in the given way, which must be one of the constants.
func NewTally(kind Kind) *Tally {
	t := &Tally{kind: kind}
	switch kind {
	case None:
		t.mask = -1 // nearly never 0; the sum of None is not reported
	case Touch:
		t.mask = cacheLine - 1
	}
	return t
}

// Reset empties the tally for a new span.
func (t *Tally) Reset() { t.offset, t.before, t.sum = 0, 0, 0 }

// NextFile says that what comes next is the first of a file.
func (t *Tally) NextFile() {
	t.before += t.offset
	t.offset = 0
}

// At says that what comes next lies at this offset of the file.
func (t *Tally) At(offset int64) {
	t.before += t.offset - offset
	t.offset = offset
}

// Add adds what another tally was given, of parts of the same file.
func (t *Tally) Add(part *Tally) {
	t.before += part.Count()
	t.sum += part.sum
}

// Block consumes the next len(p) bytes of the file. It keeps no reference to p.
func (t *Tally) Block(p []byte) {
	switch t.kind {
	case Touch:
		t.sum += touch(p, int(-t.offset&(cacheLine-1)))
	case Sum:
		t.sum += sum(p)
	}
	t.offset += int64(len(p))
}

// Byte consumes the next byte of the file. One test serves every kind, which keeps it small enough to be inlined.
func (t *Tally) Byte(b byte) {
	if t.offset&t.mask == 0 {
		t.sum += uint64(b)
	}
	t.offset++
}

// Line consumes the next line, given without its end: one more, and its length in bytes is what is summed. The length is
// at hand, so that adding it for every kind is cheaper than asking.
func (t *Tally) Line(text string) {
	t.sum += uint64(len(text))
	t.offset++
}

// LineBytes consumes the next line, given as bytes.
func (t *Tally) LineBytes(text []byte) {
	t.sum += uint64(len(text))
	t.offset++
}

// LineOf consumes the next line, of which only the length without its end is told.
func (t *Tally) LineOf(length int) {
	t.sum += uint64(length)
	t.offset++
}

// Written counts n bytes that were handed over to be written, or copied. Nothing is consumed.
func (t *Tally) Written(n int) { t.offset += int64(n) }

// Count returns how many bytes or lines the tally was given since the last Reset.
func (t *Tally) Count() int64 { return t.before + t.offset }

// Sum returns the sum of the consumed bytes or lengths since the last Reset, wrapping at 64 bits; it means nothing for None.
func (t *Tally) Sum() int64 { return int64(t.sum) }

// touch adds the bytes at first, first+64, … of p.
func touch(p []byte, first int) uint64 {
	if first >= len(p) {
		return 0
	}
	p = p[first:]
	var a, b, c, d uint64
	for ; len(p) >= 4*cacheLine; p = p[4*cacheLine:] {
		a += uint64(p[0])
		b += uint64(p[cacheLine])
		c += uint64(p[2*cacheLine])
		d += uint64(p[3*cacheLine])
	}
	for i := 0; i < len(p); i += cacheLine {
		a += uint64(p[i])
	}
	return a + b + c + d
}

const (
	evenBytes    = 0x00FF00FF00FF00FF
	evenLanes    = 0x0000FFFF0000FFFF
	wordsInLanes = 256 // as many words can be added before a lane, or high, overflows
)

// lanes ends an addition of eight bytes at a time. With w = b0 b1 … b7 from the lowest byte up, even is Σ(w & evenBytes),
// that is Σb0, Σb2, Σb4 and Σb6 in lanes of 16 bits, and high is Σ(w >> 8) as a plain number. That costs four instructions
// per word, one less than masking the odd bytes too: w>>8 is their lanes plus b2, b4 and b6 shifted left by 8, so the
// odd lanes follow here by one subtraction.
func lanes(even, high uint64) uint64 {
	odd := high - even>>16<<8
	pairs := even&evenLanes + even>>16&evenLanes + odd&evenLanes + odd>>16&evenLanes
	return pairs&0xFFFFFFFF + pairs>>32
}

// row is the unit in which the loop over words is unrolled.
type row [wordsInRow]uint64

const wordsInRow = 8

// sum adds all bytes of p. The words are read through unsafe because that measured faster than encoding/binary (see
// BenchmarkSum); the order of bytes in a word does not matter to a sum.
func sum(p []byte) uint64 {
	// Buffers and mappings start at a word; only a slice of one may not.
	head := int(-uintptr(unsafe.Pointer(unsafe.SliceData(p))) & 7)
	if head > len(p) {
		head = len(p)
	}
	total := bytewise(p[:head])
	p = p[head:]

	rows := unsafe.Slice((*row)(unsafe.Pointer(unsafe.SliceData(p))), len(p)/(8*wordsInRow))
	p = p[len(rows)*8*wordsInRow:]
	const most = 2 * wordsInLanes / wordsInRow
	for ; len(rows) > most; rows = rows[most:] {
		total += sumRows(rows[:most])
	}
	total += sumRows(rows)

	var even, high uint64
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(p))), len(p)/8)
	for _, w := range words {
		even += w & evenBytes
		high += w >> 8
	}
	return total + lanes(even, high) + bytewise(p[len(words)*8:])
}

// sumRows adds the bytes of at most 2·wordsInLanes words, half of them in each of two independent pairs of lanes. It is a
// function of its own so that the loop has the registers for itself.
//
//go:noinline
func sumRows(rows []row) uint64 {
	var even, high, even2, high2 uint64
	for i := range rows {
		w := &rows[i]
		even += w[0] & evenBytes
		high += w[0] >> 8
		even2 += w[1] & evenBytes
		high2 += w[1] >> 8
		even += w[2] & evenBytes
		high += w[2] >> 8
		even2 += w[3] & evenBytes
		high2 += w[3] >> 8
		even += w[4] & evenBytes
		high += w[4] >> 8
		even2 += w[5] & evenBytes
		high2 += w[5] >> 8
		even += w[6] & evenBytes
		high += w[6] >> 8
		even2 += w[7] & evenBytes
		high2 += w[7] >> 8
	}
	return lanes(even, high) + lanes(even2, high2)
}

// bytewise is the plain sum, for the few bytes that fill no word.
func bytewise(p []byte) (total uint64) {
	for _, b := range p {
		total += uint64(b)
	}
	return total
}
