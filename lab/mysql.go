package lab

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// The servers that install-mysql.sh brings.
const (
	MySQL80   = "mysql-8.0"
	MySQL57   = "mysql-5.7"
	MySQL56   = "mysql-5.6"
	MariaDB11 = "mariadb-11.4"
	MariaDB10 = "mariadb-10.11" // or what else the distribution packs
)

// MySQLVersions lists every server that the lab has.
func MySQLVersions() []string { return []string{MySQL80, MySQL57, MySQL56, MariaDB11, MariaDB10} }

// MySQLOptions says which server to start. The zero value is MySQL 8.0.
type MySQLOptions struct {
	Version string // MySQL80 when empty
	LogBin  string // base name of the binlog's files; mysql-bin when empty
}

// MaxBinlogSize is in bytes: after so many a file of a binlog ends with its last transaction.
const MaxBinlogSize = 65536

func (o MySQLOptions) normal() MySQLOptions {
	if o.Version == "" {
		o.Version = MySQL80
	}
	if o.LogBin == "" {
		o.LogBin = "mysql-bin"
	}
	return o
}

// MariaDB says whether the server is none of MySQL.
func (o MySQLOptions) MariaDB() bool { return o.Version == MariaDB10 || o.Version == MariaDB11 }

// old says whether the server is from before MySQL 8.
func (o MySQLOptions) old() bool { return o.Version == MySQL56 || o.Version == MySQL57 }

// MySQL is a running MySQL or MariaDB server with a binlog in rows, and GTIDs.
type MySQL struct {
	Options MySQLOptions
	Port    int     // on 127.0.0.1; the server's id as well
	Address string  // host:port
	CA      string  // PEM file with the server's certificate, good for localhost and 127.0.0.1; empty: it has no TLS
	Root    *sql.DB // may do everything

	process
	socket string
	home   programHome
	dir    string
	alone  sync.Mutex
}

// MySQL is the pool's server with these options, started at first use. A test that shares it has databases of its own, and
// calls Alone before it does something to the binlog, or wants to know all that is written there.
func (p *Pool) MySQL(t testing.TB, o MySQLOptions) *MySQL {
	t.Helper()
	o = o.normal()
	return share(t, p, &p.mysqls, fmt.Sprint(o), func() (*MySQL, error) { return p.startMySQL(o) })
}

// StartMySQL starts a server for one test. It is killed, not stopped, when the test ends.
func (p *Pool) StartMySQL(t testing.TB, o MySQLOptions) *MySQL {
	t.Helper()
	return own(t, func() (*MySQL, error) { return p.startMySQL(o.normal()) })
}

func (p *Pool) startMySQL(o MySQLOptions) (*MySQL, error) {
	return start(o.Version, func() (*MySQL, error) {
		home, err := homeOf(o.Version)
		if err != nil {
			return nil, err
		}
		dir, err := p.dir()
		if err != nil {
			return nil, err
		}
		return &MySQL{Options: o, home: home, dir: dir}, nil
	})
}

// boot starts the server and makes its users once it answers.
func (m *MySQL) boot(ctx context.Context) error {
	if err := m.run(ctx); err != nil {
		return err
	}
	return m.addUsers(ctx)
}

// run starts the server, and returns once it answers.
func (m *MySQL) run(ctx context.Context) error {
	server := guarded(filepath.Join(m.home.dir, "bin"), "--defaults-file="+filepath.Join(m.dir, "my.cnf"))
	err := m.launch("sh", server, "LD_LIBRARY_PATH="+filepath.Join(m.home.lab, ".cache", "mysql-libs"))
	if err != nil {
		return err
	}
	return m.awaitUp(ctx, func() error { return m.Root.PingContext(ctx) })
}

func (m *MySQL) kill() {
	m.process.kill()
	m.Root.Close()
}

// Alone lets no other test that calls it use the server until this one ends.
func (m *MySQL) Alone(t testing.TB) {
	t.Helper()
	m.alone.Lock()
	t.Cleanup(m.alone.Unlock)
}

// DB is a pool of connections of a user, for whoever closes it.
func (m *MySQL) DB(t testing.TB, user string) *sql.DB {
	t.Helper()
	db, err := m.open(user)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// open is a pool of connections of a user: root comes by the socket, without a password.
func (m *MySQL) open(user string) (*sql.DB, error) {
	c := mysql.NewConfig()
	c.User, c.Passwd, c.Net, c.Addr = user, Password(user), "tcp", m.Address
	if user == "root" {
		c.Passwd, c.Net, c.Addr = "", "unix", m.socket
	}
	c.MultiStatements, c.Logger = true, &mysql.NopLogger{}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}
