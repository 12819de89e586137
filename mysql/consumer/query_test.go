package consumer

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"
	"testing/synctest"
)

// silent is a database that answers no query before nobody wants it any more.
type silent struct{}

func (s silent) Connect(context.Context) (driver.Conn, error) { return s, nil }
func (silent) Driver() driver.Driver                          { return nil }
func (silent) Prepare(string) (driver.Stmt, error)            { return nil, errors.New("not prepared") }
func (silent) Begin() (driver.Tx, error)                      { return nil, errors.New("not begun") }
func (silent) Close() error                                   { return nil }
func (silent) QueryContext(ctx context.Context, _ string, _ []driver.NamedValue) (driver.Rows, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// A reading that nobody waits for may come to its query only when the consumer is closed: nobody would give that up.
func TestQueryOfAConsumerThatIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &query{db: sql.OpenDB(silent{}), text: "SELECT 1"}
		conn, err := q.db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		q.close()
		p := q.send(t.Context(), conn)
		synctest.Wait()
		select {
		case <-p.answered:
		default:
			p.cancel()
			t.Error("it goes on for as long as the server does not answer")
		}
	})
}
