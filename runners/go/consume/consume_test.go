package consume

import (
	"encoding/binary"
	"fmt"
	"math/rand"
	"testing"
)

// content returns n bytes: random ones, with a stretch of 0xFF that is longer than the lanes may hold.
func content(n int) []byte {
	p := make([]byte, n)
	rand.New(rand.NewSource(1)).Read(p)
	for i := n / 4; i < n/4*3; i++ {
		p[i] = 0xFF
	}
	return p
}

// naive is the definition of the two sums.
func naive(kind Kind, p []byte, offset int64) (total uint64) {
	for i, b := range p {
		if kind == Sum || kind == Touch && (offset+int64(i))%64 == 0 {
			total += uint64(b)
		}
	}
	return total
}

func TestEveryAlignmentAndLength(t *testing.T) {
	p := content(700)
	for from := 0; from < 72; from++ {
		for to := from; to <= len(p); to++ {
			part := p[from:to]
			if got, want := sum(part), naive(Sum, part, 0); got != want {
				t.Fatalf("sum of [%d:%d] is %d, not %d", from, to, got, want)
			}
			tally := NewTally(Touch)
			tally.offset = int64(from)
			tally.Block(part)
			if got, want := tally.sum, naive(Touch, part, int64(from)); got != want {
				t.Fatalf("touch of [%d:%d] is %d, not %d", from, to, got, want)
			}
		}
	}
}

func TestLanesDoNotOverflow(t *testing.T) {
	p := content(40000)
	for to := 0; to <= len(p); to += 61 {
		if got, want := sum(p[3:3+to/2]), naive(Sum, p[3:3+to/2], 0); got != want {
			t.Fatalf("sum of [3:%d] is %d, not %d", 3+to/2, got, want)
		}
		if got, want := sum(p[:to]), naive(Sum, p[:to], 0); got != want {
			t.Fatalf("sum of [:%d] is %d, not %d", to, got, want)
		}
	}
}

func TestTallyOverBlocksBytesAndFiles(t *testing.T) {
	p := content(5003)
	for _, kind := range []Kind{None, Touch, Sum} {
		for _, block := range []int{0, 1, 7, 63, 64, 65, 4096, 8192} { // 0: byte by byte
			tally := NewTally(kind)
			for file := 0; file < 3; file++ {
				tally.NextFile()
				for rest := p; len(rest) > 0; {
					if block == 0 {
						tally.Byte(rest[0])
						rest = rest[1:]
						continue
					}
					n := block
					if n > len(rest) {
						n = len(rest)
					}
					tally.Block(rest[:n])
					rest = rest[n:]
				}
			}
			if got := tally.Count(); got != int64(3*len(p)) {
				t.Errorf("%s, block %d: %d bytes, not %d", kind, block, got, 3*len(p))
			}
			if got, want := tally.Sum(), int64(3*naive(kind, p, 0)); kind != None && got != want {
				t.Errorf("%s, block %d: sum %d, not %d", kind, block, got, want)
			}
			tally.Reset()
			if tally.Count() != 0 || tally.Sum() != 0 {
				t.Errorf("%s: not empty after Reset", kind)
			}
		}
	}
}

func TestTallyOfLines(t *testing.T) {
	tally := NewTally(Sum)
	for file := 0; file < 2; file++ {
		tally.NextFile()
		for _, text := range []string{"", "one", "", "fünf"} {
			tally.Line(text)
		}
	}
	if tally.Count() != 8 || tally.Sum() != 2*(3+5) {
		t.Errorf("%d lines of %d bytes, not 8 of 16", tally.Count(), tally.Sum())
	}
}

func TestTallyOfWrites(t *testing.T) {
	tally := NewTally(None)
	for _, n := range []int{5, 0, 3} {
		tally.NextFile()
		tally.Written(n)
	}
	if tally.Count() != 8 {
		t.Errorf("%d bytes, not 8", tally.Count())
	}
}

// The candidates that were measured and not chosen.

func sumUnrolled(p []byte) uint64 {
	var a, b, c, d uint64
	for ; len(p) >= 4; p = p[4:] {
		a += uint64(p[0])
		b += uint64(p[1])
		c += uint64(p[2])
		d += uint64(p[3])
	}
	return a + b + c + d + bytewise(p)
}

// sumMaskedTwice masks the even and the odd bytes: five instructions per word instead of four.
func sumMaskedTwice(p []byte) (total uint64) {
	for len(p) >= 16 {
		run := p
		if len(run) > 2*wordsInLanes*8 {
			run = run[:2*wordsInLanes*8]
		}
		run = run[:len(run)&^15]
		p = p[len(run):]
		var even, odd, even2, odd2 uint64
		for ; len(run) >= 16; run = run[16:] {
			v, w := binary.LittleEndian.Uint64(run), binary.LittleEndian.Uint64(run[8:])
			even += v & evenBytes
			odd += v >> 8 & evenBytes
			even2 += w & evenBytes
			odd2 += w >> 8 & evenBytes
		}
		for _, x := range [...]uint64{even, odd, even2, odd2} {
			x = x&evenLanes + x>>16&evenLanes
			total += x&0xFFFFFFFF + x>>32
		}
	}
	return total + bytewise(p)
}

// sumBinary is sum with words read by encoding/binary.
func sumBinary(p []byte) (total uint64) {
	for len(p) >= 32 {
		run := p
		if len(run) > 2*wordsInLanes*8 {
			run = run[:2*wordsInLanes*8]
		}
		run = run[:len(run)&^31]
		p = p[len(run):]
		var even, high, even2, high2 uint64
		for ; len(run) >= 32; run = run[32:] {
			u, v := binary.LittleEndian.Uint64(run), binary.LittleEndian.Uint64(run[8:])
			w, x := binary.LittleEndian.Uint64(run[16:]), binary.LittleEndian.Uint64(run[24:])
			even += u & evenBytes
			high += u >> 8
			even2 += v & evenBytes
			high2 += v >> 8
			even += w & evenBytes
			high += w >> 8
			even2 += x & evenBytes
			high2 += x >> 8
		}
		total += lanes(even, high) + lanes(even2, high2)
	}
	return total + bytewise(p)
}

func touchRolled(p []byte) (total uint64) {
	for i := 0; i < len(p); i += cacheLine {
		total += uint64(p[i])
	}
	return total
}

func touchChosen(p []byte) uint64 { return touch(p, 0) }

func TestCandidates(t *testing.T) {
	p := content(10000)
	for name, f := range map[string]func([]byte) uint64{
		"unrolled": sumUnrolled, "masked-twice": sumMaskedTwice, "binary": sumBinary,
	} {
		for n := 0; n <= len(p); n += 37 {
			if got, want := f(p[:n]), bytewise(p[:n]); got != want {
				t.Fatalf("%s of %d bytes is %d, not %d", name, n, got, want)
			}
		}
	}
}

var sink uint64

type candidate struct {
	name string
	f    func([]byte) uint64
}

func compare(b *testing.B, candidates ...candidate) {
	for _, size := range []int{8 << 10, 16 << 20} {
		p := content(size)
		for _, c := range candidates {
			b.Run(fmt.Sprintf("%s/%d", c.name, size), func(b *testing.B) {
				b.SetBytes(int64(size))
				for i := 0; i < b.N; i++ {
					sink += c.f(p)
				}
			})
		}
	}
}

func BenchmarkSum(b *testing.B) {
	compare(b, candidate{"chosen", sum}, candidate{"binary", sumBinary}, candidate{"masked-twice", sumMaskedTwice},
		candidate{"unrolled", sumUnrolled}, candidate{"naive", bytewise})
}

func BenchmarkTouch(b *testing.B) {
	compare(b, candidate{"chosen", touchChosen}, candidate{"rolled", touchRolled})
}
