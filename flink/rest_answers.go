package flink

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// number is a whole number that may arrive as a JSON number, as one with a fraction of zero or an exponent, or as a
// string. Whatever else arrives ("NaN", null, an object) is a missing value, and no error: it must not take the rest of
// its answer along.
type number struct {
	value int64
	ok    bool
}

func (n *number) UnmarshalJSON(data []byte) error {
	n.value, n.ok = wholeNumber(strings.Trim(string(data), `"`))
	return nil
}

// or is the number, or what stands for a missing one.
func (n number) or(missing int64) int64 {
	if n.ok {
		return n.value
	}
	return missing
}

// millis is the number as milliseconds since 1970; zero where it is missing or not positive, which is how Flink says
// that something has not happened.
func (n number) millis() time.Time {
	if n.or(0) <= 0 || n.value == math.MaxInt64 {
		return time.Time{}
	}
	return time.UnixMilli(n.value)
}

// wholeNumber reads what Java prints of a long or a double.
func wholeNumber(text string) (int64, bool) {
	if value, err := strconv.ParseInt(text, 10, 64); err == nil {
		return value, true
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || value != math.Trunc(value) || math.Abs(value) > 1<<53 {
		return 0, false
	}
	return int64(value), true
}

// text is a string that may arrive as a number or a truth value.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err == nil {
		*t = text(s)
		return nil
	}
	if bytes.IndexByte([]byte(`{["n`), data[0]) < 0 {
		*t = text(data)
	}
	return nil
}

type jobsOverview struct {
	Jobs []jobOverview `json:"jobs"`
}

type jobOverview struct {
	ID    string `json:"jid"`
	Name  string `json:"name"`
	State string `json:"state"`
	Start number `json:"start-time"`
	End   number `json:"end-time"`
}

type jobDetail struct {
	State      string            `json:"state"`
	End        number            `json:"end-time"`
	Now        number            `json:"now"`
	Timestamps map[string]number `json:"timestamps"`
	Vertices   []vertexDetail    `json:"vertices"`
	Plan       struct {
		Nodes []struct {
			ID     string            `json:"id"`
			Inputs []json.RawMessage `json:"inputs"`
		} `json:"nodes"`
	} `json:"plan"`
}

type vertexDetail struct {
	ID          string            `json:"id"`
	Parallelism number            `json:"parallelism"`
	Status      string            `json:"status"`
	Start       number            `json:"start-time"`
	End         number            `json:"end-time"`
	Tasks       map[string]number `json:"tasks"`
	Metrics     struct {
		ReadRecords  number `json:"read-records"`
		ReadComplete *bool  `json:"read-records-complete"`
	} `json:"metrics"`
}

type vertexSubtasks struct {
	Now      number `json:"now"`
	Subtasks []struct {
		Index   number            `json:"subtask"`
		Status  string            `json:"status"`
		Attempt number            `json:"attempt"`
		Start   number            `json:"start-time"`      // when it was deployed
		Spent   map[string]number `json:"status-duration"` // in each state, up to now
	} `json:"subtasks"`
}

type metricAnswer struct {
	ID    string `json:"id"`
	Value text   `json:"value"`
}

type checkpointAnswer struct {
	Counts struct {
		Completed number `json:"completed"`
		Failed    number `json:"failed"`
	} `json:"counts"`
	Latest struct {
		Completed *completedCheckpoint `json:"completed"`
		Savepoint *completedCheckpoint `json:"savepoint"`
		Failed    *struct {
			At      number `json:"failure_timestamp"`
			Message text   `json:"failure_message"`
		} `json:"failed"`
		Restored *struct {
			ID        number `json:"id"`
			At        number `json:"restore_timestamp"`
			Savepoint bool   `json:"is_savepoint"`
		} `json:"restored"`
	} `json:"latest"`
}

type completedCheckpoint struct {
	Acknowledged number `json:"latest_ack_timestamp"`
	Type         string `json:"checkpoint_type"`
}

type checkpointConfigAnswer struct {
	Interval number `json:"interval"`
}

type jobConfigAnswer struct {
	Execution struct {
		User map[string]text `json:"user-config"`
	} `json:"execution-config"`
}

type dashboardConfig struct {
	Version string `json:"flink-version"`
	Refresh number `json:"refresh-interval"`
}

type configEntry struct {
	Key   string `json:"key"`
	Value text   `json:"value"`
}

// decode reads an answer. A value of a wrong type within it is a missing value; only what is no JSON, or not of the
// right kind as a whole, is an error.
func decode(body []byte, into any) error {
	err := json.Unmarshal(body, into)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return nil
	case errors.As(err, &wrong):
		return fmt.Errorf("the answer is a JSON %s, which Flink does not send there", wrong.Value)
	case err != nil:
		return fmt.Errorf("the answer of %d bytes is no JSON: %w", len(body), err)
	}
	return nil
}

// serverMessage is the first line of the reason that a refusal of Flink's REST API, or a Prometheus server's, gives.
func serverMessage(body []byte) string {
	var refusal struct {
		Errors []text `json:"errors"`
		Error  text   `json:"error"`
	}
	if decode(body, &refusal) != nil {
		return ""
	}
	message := string(refusal.Error)
	if len(refusal.Errors) > 0 {
		message = string(refusal.Errors[0])
	}
	message, _, _ = strings.Cut(message, "\n")
	return strings.ToValidUTF8(message[:min(len(message), 200)], "")
}
