package schema

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	zeros := strings.Repeat("0", 500)
	tests := []struct {
		number string
		bound  float64
		want   int
	}{
		{"0", 0, 0},
		{"-0", 0, 0},
		{"-0.000e5", 0, 0},
		{"0", math.Copysign(0, -1), 0},
		{"1e-400", 0, 1},
		{"-1e-400", 0, -1},
		{"10", 10, 0},
		{"10.000", 10, 0},
		{"1e1", 10, 0},
		{"0.1E+2", 10, 0},
		{"100e-1", 10, 0},
		{"9.99", 10, -1},
		{"10.000000000000000000000000001", 10, 1},
		{"-10.000000000000000000000000001", -10, -1},
		{"-10", 10, -1},
		{"-10", -10, 0},
		{"0.1", 0.1, 0},
		{"0.10000000000000000555", 0.1, 1},
		{"0.0999999999999999999999", 0.1, -1},
		{"9007199254740992", 9007199254740992, 0},
		{"9007199254740993", 9007199254740992, 1},
		{"-9007199254740993", -9007199254740992, -1},
		{"9223372036854775807", 9223372036854775807, -1},
		{"1" + zeros, 1, 1},
		{"1" + zeros + "e-500", 1, 0},
		{"0." + zeros + "1e501", 1, 0},
		{"1e400", math.MaxFloat64, 1},
		{"-1e400", -math.MaxFloat64, -1},
		{"1e99999999999999999999", math.MaxFloat64, 1},
		{"1e-99999999999999999999", math.SmallestNonzeroFloat64, -1},
		{"5e-324", math.SmallestNonzeroFloat64, 0},
	}
	for _, test := range tests {
		if got := compare(valueOf(test.number), test.bound); got != test.want {
			t.Errorf("compare(%s, %v) = %d, want %d", test.number, test.bound, got, test.want)
		}
	}
}

// FuzzCompare holds the digits against big.Rat, on numbers small enough for it.
func FuzzCompare(f *testing.F) {
	f.Add(int64(0), uint64(0), int16(0), 0.0)
	f.Add(int64(10), uint64(1), int16(-3), 10.0)
	f.Add(int64(-1), uint64(50), int16(2), -150.0)
	f.Add(int64(0), uint64(1), int16(0), 0.1)
	f.Fuzz(func(t *testing.T, whole int64, fraction uint64, exponent int16, bound float64) {
		if math.IsNaN(bound) || math.IsInf(bound, 0) {
			t.Skip("no bound")
		}
		number := strconv.FormatInt(whole, 10) + "." + strconv.FormatUint(fraction, 10) + "e" + strconv.Itoa(int(exponent%400))
		a, _ := new(big.Rat).SetString(number)
		b, _ := new(big.Rat).SetString(strconv.FormatFloat(bound, 'e', -1, 64))
		if got, want := compare(valueOf(number), bound), a.Cmp(b); got != want {
			t.Errorf("compare(%s, %v) = %d, want %d", number, bound, got, want)
		}
	})
}
