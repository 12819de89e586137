package consumer

import (
	"fmt"
	"strings"
)

// States that are said here and are not the word of whoever runs the consumer, which are taken over in lower case.
const (
	stateFailed       = "failed"
	stateMissing      = "missing"
	stateUnassigned   = "unassigned"
	stateRunning      = "running"
	stateDisconnected = "disconnected"
)

// connectorState is what Kafka Connect says of a connector and its tasks, as one word.
type connectorState struct {
	State  string
	Reason string
}

// taskState is one of a connector's parts, or itself.
type taskState struct {
	State string `json:"state"`
	Trace string `json:"trace"`
}

// parseConnectorState reads GET /connectors/NAME/status.
func parseConnectorState(raw []byte) (connectorState, error) {
	var answer struct {
		Connector taskState   `json:"connector"`
		Tasks     []taskState `json:"tasks"`
	}
	if err := parseJSON(raw, &answer); err != nil {
		return connectorState{}, fmt.Errorf("%w: %w", errNoJSON, err)
	}
	if answer.Connector.State == "" {
		return connectorState{}, fmt.Errorf("%w: it has no state of the connector", errNoJSON)
	}
	told := answer.Connector
	if told.word() == stateRunning && len(answer.Tasks) == 0 {
		return connectorState{State: stateUnassigned, Reason: "the connector has no task"}, nil
	}
	for _, task := range answer.Tasks {
		if told.word() != stateFailed && (task.word() == stateFailed || told.word() == stateRunning) {
			told = task
		}
	}
	return connectorState{State: told.word(), Reason: traceReason(told.Trace)}, nil
}

func (s taskState) word() string { return stateWord(s.State) }

// stateWord is a state as a label's value: of letters, digits and _, and short.
func stateWord(state string) string {
	word := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_':
			return r
		case r == '-' || r == ' ':
			return '_'
		}
		return -1
	}, strings.ToLower(state))
	return word[:min(len(word), 40)]
}

// traceReason is the first line of a stack trace, and the first of its last cause, which mostly says more.
func traceReason(trace string) string {
	reason := oneLine(trace)
	if at := strings.LastIndex(trace, "\nCaused by: "); at >= 0 {
		cause := oneLine(trace[at+len("\nCaused by: "):])
		if cause != "" && !strings.Contains(reason, cause) {
			reason += "; caused by " + cause
		}
	}
	return reason
}
