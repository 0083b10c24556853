package plain

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"sort"
	"strings"
	"time"
	"unsafe"
)

// mode says when a result of a type is kept to be compared.
type mode int

const (
	never   mode = iota // nobody knows what is in it
	always              // it is small
	ifShort             // a list, a map or a text: if it is not long
)

const (
	mostItems = 100
	mostBytes = 1000 * mostItems
	mostDepth = 4
)

var times = []reflect.Type{reflect.TypeOf(time.Duration(0)), reflect.TypeOf(time.Time{})}

// modeOf says it by the type. What times something, and what has pointers in pointers, is not compared.
func modeOf(of reflect.Type) mode {
	switch of.Kind() {
	case reflect.String, reflect.Slice, reflect.Map:
		if isPlain(of, 0) {
			return ifShort
		}
	default:
		if isPlain(of, 0) && !holdsMuch(of) {
			return always
		}
	}
	return never
}

// isPlain says whether a type is made of numbers and texts alone.
func isPlain(of reflect.Type, depth int) bool {
	if of == times[0] || of == times[1] || depth > mostDepth {
		return false
	}
	switch of.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	case reflect.Slice, reflect.Array, reflect.Pointer:
		return isPlain(of.Elem(), depth+1)
	case reflect.Map:
		return isPlain(of.Key(), depth+1) && isPlain(of.Elem(), depth+1)
	case reflect.Struct:
		for i := 0; i < of.NumField(); i++ {
			if !isPlain(of.Field(i).Type, depth+1) {
				return false
			}
		}
		return of.NumField() > 0
	}
	return false
}

// holdsMuch says whether what is reached from a value may be as large as a file.
func holdsMuch(of reflect.Type) bool {
	switch of.Kind() {
	case reflect.Slice, reflect.Map:
		return true
	case reflect.Array:
		return of.Len() > mostItems || holdsMuch(of.Elem())
	case reflect.Pointer:
		return holdsMuch(of.Elem())
	case reflect.Struct:
		for i := 0; i < of.NumField(); i++ {
			if holdsMuch(of.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

func longest(kind reflect.Kind) int {
	if kind == reflect.String {
		return mostBytes
	}
	return mostItems
}

// number is the same for the same result, in 48 bits; nil where it cannot be compared.
func (t *Taken) number() *int64 {
	if len(t.slots) == 0 {
		return nil
	}
	var text strings.Builder
	for _, each := range t.slots {
		if each == nil {
			return nil
		}
		value, whole := each.value()
		if !whole {
			return nil
		}
		write(&text, value)
		text.WriteByte('\n')
	}
	hash := fnv.New64a()
	hash.Write([]byte(text.String()))
	sum := int64(hash.Sum64() & (1<<48 - 1))
	return &sum
}

func write(to *strings.Builder, value reflect.Value) {
	switch value.Kind() {
	case reflect.Bool:
		fmt.Fprintf(to, "%v", value.Bool())
	case reflect.String:
		fmt.Fprintf(to, "%q", value.String())
	case reflect.Float32, reflect.Float64:
		fmt.Fprintf(to, "%.9g", value.Float()) // sums in another order differ in the last digits
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		fmt.Fprintf(to, "%d", value.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		fmt.Fprintf(to, "%d", value.Uint())
	case reflect.Pointer:
		if value.IsNil() {
			to.WriteString("nil")
		} else {
			write(to, value.Elem())
		}
	case reflect.Slice, reflect.Array:
		to.WriteByte('[')
		for i := 0; i < value.Len(); i++ {
			write(to, value.Index(i))
			to.WriteByte(' ')
		}
		to.WriteByte(']')
	case reflect.Struct:
		to.WriteByte('{')
		for i := 0; i < value.NumField(); i++ {
			write(to, value.Field(i))
			to.WriteByte(' ')
		}
		to.WriteByte('}')
	case reflect.Map:
		var pairs []string
		for iter := value.MapRange(); iter.Next(); {
			var pair strings.Builder
			write(&pair, iter.Key())
			pair.WriteByte(':')
			write(&pair, iter.Value())
			pairs = append(pairs, pair.String())
		}
		sort.Strings(pairs)
		fmt.Fprintf(to, "{%s}", strings.Join(pairs, " "))
	}
}

// bytesOf gives the bytes of a text as they lie in memory, not to be changed.
func bytesOf[T ~string | ~[]byte](text T) []byte {
	if len(text) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&text))), len(text))
}
