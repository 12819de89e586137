package lab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
)

// Connector is a connector of Debezium on a worker. Its name is its topic prefix as well.
type Connector struct {
	Name   string
	worker *Connect
	config map[string]string
}

// ConnectorStatus is what REST says of a connector: RUNNING, PAUSED, STOPPED, FAILED and so on. Task is empty where there is none.
type ConnectorStatus struct {
	Connector, Task string
	Trace           string // of a failed task
}

// Debezium makes a connector that reads a database of a server, which must have a transaction in its binlog. It is deleted
// when the test ends; its offset stays.
func (c *Connect) Debezium(t testing.TB, name string, m *MySQL, database string) *Connector {
	t.Helper()
	k := &Connector{Name: name, worker: c, config: c.debezium(name, m, database, 5000+c.servers.Add(1))}
	k.Create(t)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := k.delete(ctx); err != nil {
			t.Errorf("delete connector %s: %v", name, err)
		}
	})
	return k
}

// Change sets properties for the next Create.
func (k *Connector) Change(more map[string]string) { maps.Copy(k.config, more) }

// ForgetOffsets removes what a stopped connector has noted down.
func (k *Connector) ForgetOffsets(t testing.TB) {
	t.Helper()
	k.do(t, http.MethodDelete, "/offsets", nil)
}

// Create makes the connector again, after Delete.
func (k *Connector) Create(t testing.TB) {
	t.Helper()
	k.do(t, http.MethodPut, "/config", k.config)
}

// Pause lets the connector read nothing more; it keeps its connection.
func (k *Connector) Pause(t testing.TB) {
	t.Helper()
	k.do(t, http.MethodPut, "/pause", nil)
	k.AwaitStatus(t, ConnectorStatus{Connector: "PAUSED", Task: "PAUSED"})
}

// Stop ends the connector's task.
func (k *Connector) Stop(t testing.TB) {
	t.Helper()
	k.do(t, http.MethodPut, "/stop", nil)
	k.AwaitStatus(t, ConnectorStatus{Connector: "STOPPED"})
}

// Resume goes on after Pause or Stop. AwaitRunning waits until it does.
func (k *Connector) Resume(t testing.TB) {
	t.Helper()
	k.do(t, http.MethodPut, "/resume", nil)
}

// Restart ends the connector and its task, whatever their states, and starts them again.
func (k *Connector) Restart(t testing.TB) {
	t.Helper()
	k.do(t, http.MethodPost, "/restart?includeTasks=true", nil)
}

// Delete deletes the connector. What it has noted down stays in the topic.
func (k *Connector) Delete(t testing.TB) {
	t.Helper()
	within(t, patience, k.delete)
}

func (k *Connector) delete(ctx context.Context) error {
	return await(ctx, func() error {
		err := k.worker.ask(ctx, http.MethodDelete, "/connectors/"+k.Name, nil, nil)
		if errors.Is(err, errMissing) {
			return nil
		}
		return err
	})
}

// do asks until it is done: while the worker makes new plans it refuses.
func (k *Connector) do(t testing.TB, method, path string, body any) {
	t.Helper()
	within(t, patience, func(ctx context.Context) error {
		return await(ctx, func() error { return k.worker.ask(ctx, method, "/connectors/"+k.Name+path, body, nil) })
	})
}

// AwaitRunning waits until connector and task run.
func (k *Connector) AwaitRunning(t testing.TB) {
	t.Helper()
	k.AwaitStatus(t, ConnectorStatus{Connector: "RUNNING", Task: "RUNNING"})
}

// AwaitStatus waits until REST says so. A trace must contain the wanted one.
func (k *Connector) AwaitStatus(t testing.TB, want ConnectorStatus) {
	t.Helper()
	Await(t, func() error {
		got, err := k.status(t.Context())
		if err != nil {
			return err
		}
		if got.Connector != want.Connector || got.Task != want.Task || !strings.Contains(got.Trace, want.Trace) {
			return fmt.Errorf("connector %s is %+v, want %+v", k.Name, got, want)
		}
		return nil
	})
}

func (k *Connector) status(ctx context.Context) (ConnectorStatus, error) {
	var answer struct {
		Connector struct{ State string }
		Tasks     []struct{ State, Trace string }
	}
	if err := k.worker.ask(ctx, http.MethodGet, "/connectors/"+k.Name+"/status", nil, &answer); err != nil {
		return ConnectorStatus{}, err
	}
	s := ConnectorStatus{Connector: answer.Connector.State}
	if len(answer.Tasks) > 0 {
		s.Task, s.Trace = answer.Tasks[0].State, answer.Tasks[0].Trace
	}
	return s, nil
}
