package collector

import (
	"testing"
	"time"
)

func TestPatienceLearnsFromWhatItHears(t *testing.T) {
	for name, tc := range map[string]struct {
		rises, hears, away time.Duration // how far apart; and once nothing is heard for so long
		want               time.Duration
	}{
		"commits each ten seconds":        {rises: 10 * time.Second, hears: time.Second, want: leastPatience},
		"each minute":                     {rises: time.Minute, hears: time.Second, want: 3 * time.Minute},
		"each half hour":                  {rises: 30 * time.Minute, hears: 15 * time.Second, want: 90 * time.Minute},
		"heard each five minutes":         {rises: 10 * time.Second, hears: 5 * time.Minute, want: 15 * time.Minute},
		"not heard for a few minutes":     {rises: 10 * time.Second, hears: time.Second, away: 5 * time.Minute, want: 15 * time.Minute},
		"not heard for an hour":           {rises: 10 * time.Second, hears: time.Second, away: time.Hour, want: leastPatience},
		"not heard for an hour, and rare": {rises: 30 * time.Minute, hears: 15 * time.Second, away: time.Hour, want: 90 * time.Minute},
	} {
		began := time.Unix(1_000_000, 0)
		p := newPatience(began)
		for at := began; at.Sub(began) < 5*time.Hour; at = at.Add(tc.hears) {
			if tc.away > 0 && at.Sub(began) > 2*time.Hour {
				at, tc.away = at.Add(tc.away), 0
			}
			p.observe(at, int64(at.Sub(began)/tc.rises))
		}
		if got := p.span(); got < tc.want || got > tc.want+3*2*tc.hears {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}
