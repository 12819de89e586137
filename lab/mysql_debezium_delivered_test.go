//go:build e2e

package lab_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

var schemaKey = regexp.MustCompile(`ddl\d+`)

// deliver takes in what has got into the topics.
func (l *life) deliver(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	for topic := range l.topics {
		end := l.worker.Kafka.Ends(t, topic)[0].HighWatermark
		for l.topics[topic] < end {
			fetches := l.client.PollFetches(ctx)
			if errs := fetches.Errors(); len(errs) > 0 {
				t.Fatal(errs[0].Err)
			}
			fetches.EachRecord(func(r *kgo.Record) {
				l.topics[r.Topic] = r.Offset + 1
				if err := l.record(r); err != nil {
					t.Fatalf("%s: %v: %s", r.Topic, err, r.Value)
				}
			})
		}
	}
}

func (l *life) record(r *kgo.Record) error {
	if r.Value == nil { // follows what was deleted
		return nil
	}
	var v struct {
		Op            string
		Before, After *struct{ N, G int }
		DDL           string
	}
	if err := json.Unmarshal(r.Value, &v); err != nil {
		return err
	}
	switch _, table, _ := strings.Cut(r.Topic, ".shop."); {
	case table == "":
		l.delivered[schemaKey.FindString(v.DDL)] = true
	case v.After != nil:
		l.delivered[key(v.Op, table, v.After.N, v.After.G)] = true
	case v.Before != nil:
		l.delivered[key(v.Op, table, v.Before.N, v.Before.G)] = true
	default:
		return errors.New("a record without a row")
	}
	return nil
}

// key names a record.
func key(op, table string, n, statement int) string {
	return fmt.Sprintf("%s %s %d/%d", op, table, n, statement)
}

func (l *life) number() int { l.numbers++; return l.numbers }

func (l *life) clock(t *testing.T) time.Time {
	t.Helper()
	micros, err := strconv.ParseInt(l.m.Text(t, "SELECT CAST(UNIX_TIMESTAMP(NOW(6))*1000000 AS SIGNED)"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return time.UnixMicro(micros)
}
