package web

import (
	"html/template"
	"math"
	"testing"
	"time"
)

func TestNumber(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", -7: "-7", 999: "999", 1000: "1,000", -1000: "-1,000", 123456: "123,456", 1234567: "1,234,567",
		math.MaxInt64: "9,223,372,036,854,775,807", math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		if got := number(n); got != want {
			t.Errorf("number(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestPartsOfLongNames(t *testing.T) {
	for s, want := range map[string]template.HTML{
		"":                             "",
		"orders.placed":                "orders.placed",
		"com.example.orders.v":         "com.example.orders.v",
		"com.example.orders.v1":        "com.<wbr>example.<wbr>orders.<wbr>v1",
		"payments / Source__orders_1":  "payments / Source__<wbr>orders_<wbr>1",
		"tenant:eu:orders-enricher":    "tenant:<wbr>eu:<wbr>orders-enricher",
		"<b>.<img src=x>&<wbr>.orders": "&lt;b&gt;.<wbr>&lt;img src=x&gt;&amp;&lt;wbr&gt;.<wbr>orders",
		"グループ.グループ.グループ.グループ.グループ": "グループ.<wbr>グループ.<wbr>グループ.<wbr>グループ.<wbr>グループ",
	} {
		if got := parted(s); got != want {
			t.Errorf("parted(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 10239: "10,239 bytes", 10240: "10.0 KiB", 102400: "100 KiB", 1<<20 - 1: "1024 KiB", 1 << 20: "1.00 MiB",
		1234567890: "1.15 GiB", 500 << 30: "500 GiB", 5 << 40: "5.00 TiB", math.MaxInt64: "8.00 EiB",
	} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %q, want %q", n, got, want)
		}
	}
	if got := exactly(3<<30 + 1); got != "3,221,225,473 bytes (3.00 GiB)" || exactly(20480) != "20,480 bytes" {
		t.Errorf("%q, %q", got, exactly(20480))
	}
}

func TestAge(t *testing.T) {
	for ago, want := range map[time.Duration]string{
		-time.Hour: "0 s ago", 0: "0 s ago", 119 * time.Second: "119 s ago", 2 * time.Minute: "2 min ago",
		119 * time.Minute: "119 min ago", 2 * time.Hour: "2 h ago", 47 * time.Hour: "47 h ago", 72 * time.Hour: "3 d ago",
	} {
		if got := age(noon, noon.Add(-ago)); got != want {
			t.Errorf("age of %s = %q, want %q", ago, got, want)
		}
	}
	if got := age(noon, time.Time{}); got != "never" {
		t.Errorf("age of the zero time = %q", got)
	}
}

func TestTook(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "unknown", time.Microsecond: "under 1 ms", 42 * time.Millisecond: "42 ms", 9500 * time.Millisecond: "9.5 s",
	} {
		if got := took(d); got != want {
			t.Errorf("took(%s) = %q, want %q", d, got, want)
		}
	}
}
