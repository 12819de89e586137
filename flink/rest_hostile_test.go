package flink

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// spoil changes some values of a decoded answer to what Flink would never send.
func spoil(rnd *rand.Rand, v any) any {
	strange := []any{nil, -1, 0, 1e300, json.Number("9223372036854775807"), json.Number("-9223372036854775808"), 0.5, "", "NaN", "RUNNING", "FINISHED",
		"..", "a/b?c#d", "\x00\xff", []any{}, map[string]any{}, true, []any{nil, 1, "x"}}
	if rnd.IntN(12) == 0 {
		return strange[rnd.IntN(len(strange))]
	}
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			v[key] = spoil(rnd, v[key])
		}
	case []any:
		for i := range v {
			v[i] = spoil(rnd, v[i])
		}
		if len(v) > 0 && rnd.IntN(8) == 0 {
			v = append(v, v[rnd.IntN(len(v))])
		}
		return v
	}
	return v
}

// Whatever a JobManager answers, and whenever it makes sense again, what is told is in order: nothing is of the time to
// come, no topic or source is told twice, and a good answer is read like after good ones.
func TestAJobManagerThatAnswersAnything(t *testing.T) {
	for seed := range uint64(12) {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 5))
			orders := kafkaMetrics("op", "orders", map[int32][2]int64{0: {9, 10}})
			others := kafkaMetrics("op", "orders", map[int32][2]int64{1: {-1, -1}})
			jm := newJobManager(runningJob("aa", "one", runningVertex("v1", orders, others)), runningJob("bb", "two", runningVertex("v1", orders)))
			good := false
			jm.handle = func(w http.ResponseWriter, r *http.Request) bool {
				if good || rnd.IntN(3) == 0 {
					return false
				}
				plain := httptest.NewRecorder()
				handle := jm.handle
				jm.handle = nil
				jm.mu.Unlock()
				jm.ServeHTTP(plain, r)
				jm.mu.Lock()
				jm.handle = handle
				var v any
				if json.Unmarshal(plain.Body.Bytes(), &v) != nil {
					return false
				}
				w.Header().Set("Content-Type", "application/json")
				text, _ := json.Marshal(spoil(rnd, v))
				_, _ = w.Write(text[:len(text)-rnd.IntN(2)*rnd.IntN(2)*rnd.IntN(len(text))])
				return true
			}
			c := startCluster(t, jm, Config{KeepEnded: time.Hour, Parameters: true})
			for range 12 {
				checkView(t, view(t, c))
				pass(11 * time.Second)
			}
			jm.change(func() { good = true })
			var v *View
			for range 40 { // what was listed without a source is listed again after five minutes
				v = view(t, c)
				pass(11 * time.Second)
			}
			checkView(t, v)
			for _, j := range v.Jobs {
				if j.ID != "aa" && j.ID != "bb" {
					continue
				}
				if j.Err != nil || len(j.Sources) != 1 || len(j.Sources[0].Samples[0].Partitions) == 0 {
					t.Errorf("seed %d: of job %s %v, %+v", seed, j.ID, j.Err, j.Sources)
				}
			}
		})
	}
}

func checkView(t *testing.T, v *View) {
	t.Helper()
	now := time.Now()
	for _, j := range v.Jobs {
		sources := map[sourceKey]bool{}
		for i := range j.Sources {
			s := &j.Sources[i]
			if sources[s.key()] {
				t.Errorf("source %+v is told twice", s.key())
			}
			sources[s.key()] = true
			for _, sample := range s.Samples {
				partitions := map[topicPartition]bool{}
				if sample.Before.After(now) || sample.After.After(sample.Before) {
					t.Errorf("a sample of [%s, %s] from now", sample.After.Sub(now), sample.Before.Sub(now))
				}
				for _, p := range sample.Partitions {
					at := topicPartition{p.Topic, p.Partition}
					if partitions[at] || p.Emitted < Unset || p.Committed < Unset || p.Partition < 0 {
						t.Errorf("partition %+v", p)
					}
					partitions[at] = true
				}
				for _, sub := range sample.Subtasks {
					if sub.Index < 0 || sub.Succeeded < -1 || sub.Busy > 1 || sub.Busy < -1 {
						t.Errorf("subtask %+v", sub)
					}
				}
			}
		}
	}
}
