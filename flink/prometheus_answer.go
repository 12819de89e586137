package flink

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"
)

// promAnswer is what a Prometheus server's query API answers with a matrix. Series that are no such JSON are skipped; the
// rows are added one by one, see addSeries.
type promAnswer struct {
	gathered
	series   []promSeries
	warnings []string
}

type promSeries struct {
	Labels  map[string]string `json:"metric"`
	Samples promSamples       `json:"values"`
}

// promSamples is the last of a series' samples, and how far they usually are apart (0: there is only one).
type promSamples struct {
	at       time.Time
	value    float64
	interval time.Duration
}

// UnmarshalJSON reads [[SECONDS, "VALUE"], ...], in which each time is later than the one before.
func (s *promSamples) UnmarshalJSON(text []byte) error {
	var samples []promSample
	if err := json.Unmarshal(text, &samples); err != nil {
		return err
	}
	if len(samples) == 0 {
		return errors.New("series without samples")
	}
	last := samples[len(samples)-1]
	s.at, s.value = last.at, last.value
	var gaps []time.Duration
	for i := 1; i < len(samples); i++ {
		gaps = append(gaps, samples[i].at.Sub(samples[i-1].at))
	}
	s.interval = max(median(gaps), 0)
	return nil
}

// median sorts; 0 of none.
func median(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

type promSample struct {
	at    time.Time
	value float64
}

func (s *promSample) UnmarshalJSON(text []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(text, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return fmt.Errorf("sample of %d parts, want time and value", len(pair))
	}
	var seconds float64
	var value string
	if err := errors.Join(json.Unmarshal(pair[0], &seconds), json.Unmarshal(pair[1], &value)); err != nil {
		return err
	}
	if math.Abs(seconds) > 1e11 {
		return fmt.Errorf("time %v cannot be", seconds)
	}
	number, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return err
	}
	s.at, s.value = time.UnixMilli(int64(math.Round(seconds*1000))), number
	return nil
}

// readPromAnswer reads an answer series by series: a big one is never held as a whole. A series that is not understood
// is skipped.
func readPromAnswer(body io.Reader) (promAnswer, error) {
	a := promAnswer{}
	in := json.NewDecoder(body)
	var status, problem string
	err := eachMember(in, func(name string) error {
		switch name {
		case "status":
			return in.Decode(&status)
		case "error":
			return in.Decode(&problem)
		case "warnings":
			return in.Decode(&a.warnings)
		case "data":
			return eachMember(in, func(name string) error {
				if name == "result" {
					return a.readSeries(in)
				}
				return in.Decode(&json.RawMessage{})
			})
		}
		return in.Decode(&json.RawMessage{})
	})
	switch {
	case err != nil:
		return a, fmt.Errorf("not a Prometheus server's answer: %w", err)
	case status != "success":
		return a, fmt.Errorf("answered status %q: %s", status, problem)
	}
	return a, nil
}

func (a *promAnswer) readSeries(in *json.Decoder) error {
	if err := expect(in, '['); err != nil {
		return err
	}
	for in.More() {
		var one json.RawMessage
		if err := in.Decode(&one); err != nil {
			return err
		}
		var s promSeries
		err := json.Unmarshal(one, &s)
		if err == nil && s.Samples.at.IsZero() {
			err = errors.New("series without samples")
		}
		if err != nil {
			a.skip(err)
			continue
		}
		a.series = append(a.series, s)
	}
	return expect(in, ']')
}

// eachMember calls visit, which reads the value, for each member of an object.
func eachMember(in *json.Decoder, visit func(name string) error) error {
	if err := expect(in, '{'); err != nil {
		return err
	}
	for in.More() {
		token, err := in.Token()
		if err != nil {
			return err
		}
		name, ok := token.(string)
		if !ok {
			return fmt.Errorf("%v where a name is due", token)
		}
		if err := visit(name); err != nil {
			return err
		}
	}
	return expect(in, '}')
}

func expect(in *json.Decoder, want json.Delim) error {
	token, err := in.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("%v where %v is due", token, want)
	}
	return nil
}
