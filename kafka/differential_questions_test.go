package kafka_test

import (
	"context"
	"slices"
	"time"

	"truelag/kafka"
)

// answered is a reading with the questions that it answers.
type answered struct {
	*kafka.Reading
	questions []kafka.Question
}

// questions asks some questions, and then others, some of which cut what the first ones have made known. Each is asked a
// second time, which costs nothing.
func (w *randomLogs) questions(c *kafka.Cluster) (all []answered) {
	for range 2 {
		a := answered{questions: w.randomQuestions()}
		a.Reading = w.ask(c, a.questions)
		if again := w.ask(c, a.questions); again.Ledger.ScanFetches != a.Ledger.ScanFetches {
			w.Errorf("seed %d: questions that were asked before cost %d fetches", w.seed, again.Ledger.ScanFetches-a.Ledger.ScanFetches)
		}
		all = append(all, a)
	}
	return all
}

// randomQuestions are also about groups that do not exist, and ends that lie beyond the logs.
func (w *randomLogs) randomQuestions() (questions []kafka.Question) {
	ends, err := w.admin.ListEndOffsets(w.Context(), w.topic)
	if err != nil {
		w.Fatal(err)
	}
	for _, g := range append([]string{"other-rc-c", "other-ru-c"}, groups...) {
		for part := range int32(logsPerTopic) {
			end := ends[w.topic][part].Offset
			questions = append(questions, kafka.Question{
				Group: w.topic + g, Topic: w.topic, Partition: part, From: w.rng.Int64N(end + 2), To: w.rng.Int64N(end + 5),
			})
		}
	}
	w.rng.Shuffle(len(questions), func(i, k int) { questions[i], questions[k] = questions[k], questions[i] })
	return questions
}

func (w *randomLogs) ask(c *kafka.Cluster, questions []kafka.Question) *kafka.Reading {
	ctx, cancel := context.WithTimeout(w.Context(), 5*time.Minute)
	defer cancel()
	r, err := c.ReadFor(ctx, kafka.Interest{Ask: func(*kafka.Reading) []kafka.Question { return questions }})
	if err != nil {
		w.Fatal(err)
	}
	return r
}

func (w *randomLogs) compareAnswers(r answered, handed map[kafka.Isolation][logsPerTopic][]int64) {
	topic := r.Topic(w.topic)
	for i, q := range r.questions {
		a, p := &r.Answers[i], &topic.Partitions[q.Partition]
		isolation, end := kafka.ReadCommitted, p.LastStable
		if q.Group[len(q.Group)-4:len(q.Group)-2] == "ru" {
			isolation, end = kafka.ReadUncommitted, p.HighWatermark
		}
		all := handed[isolation][q.Partition]
		from, _ := slices.BinarySearch(all, a.From)
		to, _ := slices.BinarySearch(all, min(a.To, end))
		if want := int64(max(to-from, 0)); a.Err != nil || a.Records() != want || a.Composition[kafka.Unscanned] != 0 ||
			a.Offsets() != max(a.To-a.From, 0) || a.From != q.From || a.To != min(q.To, p.HighWatermark) || a.Isolation != isolation {
			w.Errorf("seed %d: %+v of [%d, LSO %d, HW %d): %+v, want %d records", w.seed, q, p.LogStart, p.LastStable, p.HighWatermark, *a, want)
		}
	}
}
