package web

import (
	"fmt"
	"io"
	"math"
	"testing"
)

// A bar to scale stays on the page whatever sizes a server tells, and what is before a place and after it can be seen.
func TestBinlogScale(t *testing.T) {
	const most = math.MaxInt64
	for name, of := range map[string]struct {
		files []int64 // their ends
		file  int
		at    int64
		low   int
		high  int
	}{
		"the beginning":           {[]int64{1000}, 0, 0, 0, 0},
		"right behind it":         {[]int64{1 << 40}, 0, 4, 2, 2},
		"the midst":               {[]int64{500, 500}, 1, 100, 600, 600},
		"right before the end":    {[]int64{1 << 40, 1 << 30}, 1, 1<<30 - 1, scaleWidth - 2, scaleWidth - 2},
		"the end":                 {[]int64{1 << 40, 1 << 30}, 1, 1 << 30, scaleWidth, scaleWidth},
		"more than an int64 adds": {[]int64{most - 10, 4000}, 1, 1000, scaleWidth - 2, scaleWidth - 2},
		"more in two files":       {[]int64{most, most}, 1, most / 2, 740, 760},
	} {
		e := &BinlogExplanation{BinlogConsumer: BinlogConsumer{State: "ok", Effective: -1, Transactions: -1, Age: -1, Headroom: -1}, Place: "ok", File: of.file, At: of.at}
		for i, end := range of.files {
			e.Files = append(e.Files, BinlogFile{Name: fmt.Sprintf("b.%06d", i+1), End: end})
			if i < of.file {
				e.Before += end
			}
		}
		e.Bytes, e.HeadroomBytes = of.files[of.file]-of.at, -1
		if s := e.scale(); s == nil || !s.Known || s.At < of.low || s.At > of.high || s.Left != scaleWidth-s.At {
			t.Errorf("%s: %+v, want it from %d to %d", name, s, of.low, of.high)
		}
		if err := e.WriteText(io.Discard, 80); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Files that are left out of a drawing have a size together only where that can be told.
func TestSizeOfFilesLeftOut(t *testing.T) {
	for want, sizes := range map[int64][]int64{30: {10, 20}, -1: {math.MaxInt64, 1}, -2: {-1, 20}, -3: {math.MaxInt64, math.MaxInt64, 4}} {
		var blocks []*binlogBlock
		for _, size := range sizes {
			blocks = append(blocks, &binlogBlock{Kind: "log", Files: 1, Size: size})
		}
		if got := summedUp(blocks); got.Size != max(want, -1) || got.Files != int64(len(sizes)) {
			t.Errorf("%v: %+v", sizes, got)
		}
	}
}
