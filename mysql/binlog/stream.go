package binlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/go-mysql-org/go-mysql/client"
	protocol "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"

	"truelag/mysql"
)

// dump asks a server for its binlog to the end, and hands out the connection on which it answers. The
// connection keeps to ctx, and is the caller's to close.
//
// The server is told no UUID of a replica, and server_id as configured, 0 if it is not: a server ends the dump of another
// client that gave it the same. Nobody is registered as a replica.
func (s *Scanner) dump(ctx context.Context, inv *mysql.Inventory, r request) (_ net.Conn, err error) {
	r.flavor, r.flags, r.server = inv.Flavor, replication.BINLOG_DUMP_NON_BLOCK, s.cfg.ServerID
	if r.flavor == mysql.MariaDB {
		r.flags |= replication.BINLOG_SEND_ANNOTATE_ROWS_EVENT // all that are in the file
	}
	if err := r.check(""); err != nil { // nobody need be connected to
		return nil, err
	}
	began := time.Now()
	defer func() { mysql.Sent(ctx, r.String(), began, err) }()
	conn, raw, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	c := conn.Conn.Conn
	err = guarded(func() error {
		if err := recognize(conn, inv); err != nil {
			return err
		}
		if err := r.check(conn.GetServerVersion()); err != nil {
			return err
		}
		for _, sql := range r.setup() {
			if _, err := conn.Execute(sql); err != nil {
				return err
			}
		}
		var encoded []byte
		if r.gtids() {
			set, err := protocol.ParseMysqlGTIDSet(r.set.String())
			if err != nil {
				return errNotRead
			}
			encoded = set.Encode()
		}
		conn.ResetSequence()
		return conn.WritePacket(r.packet(encoded))
	})
	if err != nil {
		hangUp(c)
		return nil, fmt.Errorf("ask for the binlog from %s: %w", r.place(), answered(ctx, raw, err))
	}
	return c, nil
}

// recognize tells whether the server that answers is the one of the inventory: a name or a proxy may lead elsewhere by now.
func recognize(conn *client.Conn, inv *mysql.Inventory) error {
	question := "SELECT @@GLOBAL.server_uuid"
	if inv.Flavor == mysql.MariaDB {
		question = "SELECT CONCAT(@@hostname, ':', @@port, '/', @@server_id)"
	}
	if inv.Server == "" {
		return nil
	}
	answer, err := conn.Execute(question)
	if err != nil {
		return err
	}
	name, err := answer.GetString(0, 0)
	if err != nil {
		return errNotRead
	}
	if name != inv.Server {
		return errOther
	}
	return nil
}

var errOther = errors.New("another server answers than the one that listed its files")

// connect logs in. The connection below is handed out, too.
func (s *Scanner) connect(ctx context.Context) (conn *client.Conn, raw *ending, err error) {
	var password string
	if s.cfg.Dial.Password != nil {
		if password, err = s.cfg.Dial.Password(); err != nil {
			return nil, nil, err
		}
	}
	err = guarded(func() (err error) {
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
			if raw, err = s.open(ctx, password); err != nil {
				return nil, err
			}
			return raw, nil
		}
		conn, err = client.ConnectWithDialer(ctx, s.network, s.address, s.cfg.Dial.User, password, "", dial, func(c *client.Conn) error {
			if s.tls != nil {
				c.SetTLSConfig(s.tls)
			}
			return nil
		})
		return err
	})
	if err != nil {
		if raw != nil {
			_ = raw.Close() // mostly it is closed already
		}
		return nil, nil, fmt.Errorf("connect to %s: %w", s.cfg.Dial.Address, answered(ctx, raw, err))
	}
	return conn, raw, nil
}

// answered puts the library's errors into our words: its own hold traces, and rows. conn is nil where nobody was reached.
func answered(ctx context.Context, conn *ending, err error) error {
	var said *protocol.MyError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case conn != nil && conn.flooded():
		return errFlood
	case conn != nil && conn.leaked:
		return errClear
	case errors.As(err, &said):
		return denied(&serverError{said.Code, strings.ToValidUTF8(said.Message[:min(len(said.Message), longestMessage)], "")})
	case errors.Is(err, protocol.ErrBadConn):
		return errHungUp
	}
	return err
}

// decoder reads the bodies of events.
type decoder struct {
	limit     int64 // of what a compressed transaction may hold
	checksums bool  // each event ends with one
	started   bool  // the server was started with the file; not told of one that is not read from its beginning
	header    []byte
	parser    *replication.BinlogParser // knows the format, and no table
}

// format takes in the event that says how those after it are made.
func (d *decoder) format(raw []byte) error {
	d.parser, d.header = replication.NewBinlogParser(), raw
	e, err := parsed[*replication.FormatDescriptionEvent](d.parser, raw)
	if err != nil {
		return err
	}
	d.checksums = e.ChecksumAlgorithm == replication.BINLOG_CHECKSUM_ALG_CRC32
	d.started = e.CreateTimestamp != 0
	return nil
}

// plain reads the events of a payload, which have no checksums of their own.
func (d *decoder) plain() (*decoder, error) {
	if !d.checksums {
		return d, nil
	}
	raw := slices.Clone(d.header)
	raw[len(raw)-checksumSize-1] = byte(replication.BINLOG_CHECKSUM_ALG_OFF)
	plain := &decoder{limit: d.limit}
	return plain, plain.format(raw)
}

// named reads the event that gives a transaction its GTID.
func (d *decoder) named(h header, body io.Reader, e *event) error {
	raw, err := h.read(body, longestName)
	if err != nil {
		return err
	}
	any, err := parsed[replication.Event](d.parser, raw)
	if err != nil {
		return err
	}
	var of *replication.GTIDEvent
	switch g := any.(type) {
	case *replication.MariadbGTIDEvent:
		e.gtid, e.alone = g.GTID.String(), g.IsStandalone()
		return nil
	case *replication.GTIDEvent:
		of = g
	case *replication.GtidTaggedLogEvent:
		of = &g.GTIDEvent
	default:
		return errNotRead
	}
	e.committed = of.ImmediateCommitTime()
	if h.code == typeAnonymous {
		return nil
	}
	return guarded(func() error {
		set, err := of.GTIDNext()
		if err == nil {
			e.gtid = set.String()
		}
		return err
	})
}

// count is how many rows an event changes.
func (d *decoder) count(definition, raw []byte) (int64, error) {
	parser := replication.NewBinlogParser()
	for _, before := range [][]byte{d.header, definition} {
		if _, err := parsed[replication.Event](parser, before); err != nil {
			return 0, err
		}
	}
	e, err := parsed[*replication.RowsEvent](parser, raw)
	if err != nil {
		return 0, err
	}
	switch e.Type() {
	case replication.EnumRowsEventTypeInsert, replication.EnumRowsEventTypeDelete:
		return int64(len(e.Rows)), nil
	default: // updates, some of them in part: before and after
		return int64(len(e.Rows) / 2), nil
	}
}

// parsed is an event as the library reads it. What the library has to say of one that it cannot read holds rows.
func parsed[E replication.Event](parser *replication.BinlogParser, raw []byte) (E, error) {
	var e E
	if parser == nil {
		return e, errors.New("the binlog does not begin with a format")
	}
	err := guarded(func() error {
		b, err := parser.Parse(raw)
		if err != nil {
			return errNotRead
		}
		var ok bool
		if e, ok = b.Event.(E); !ok {
			return errNotRead
		}
		return nil
	})
	return e, err
}
