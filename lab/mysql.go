package lab

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
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
	Version       string   // MySQL80 when empty
	LogBin        string   // base name of the binlog's files; mysql-bin when empty
	MaxBinlogSize int      // bytes after which a file ends with its last transaction; 65536 when 0, 4096 at least
	Extra         []string // more lines of my.cnf
}

func (o MySQLOptions) normal() MySQLOptions {
	if o.Version == "" {
		o.Version = MySQL80
	}
	if o.LogBin == "" {
		o.LogBin = "mysql-bin"
	}
	if o.MaxBinlogSize == 0 {
		o.MaxBinlogSize = 65536
	}
	return o
}

// MariaDB says whether the server is none of MySQL.
func (o MySQLOptions) MariaDB() bool { return o.Version == MariaDB10 || o.Version == MariaDB11 }

// old says whether the server is from before MySQL 8.
func (o MySQLOptions) old() bool { return o.Version == MySQL56 || o.Version == MySQL57 }

// MySQL is a running MySQL or MariaDB server with a binlog in rows, and GTIDs.
type MySQL struct {
	Options  MySQLOptions
	Address  string // host:port
	Socket   string
	CA       string  // PEM file with the server's certificate, good for localhost and 127.0.0.1; empty: it has no TLS
	Root     *sql.DB // may do everything
	ServerID uint32

	process
	home    string
	dir     string
	library string
	alone   sync.Mutex
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
	m, err := p.startMySQL(o.normal())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.kill)
	showLogs(t, m.logs)
	return m
}

func (p *Pool) startMySQL(o MySQLOptions) (*MySQL, error) {
	return start(o.Version, func() (*MySQL, error) {
		lab, err := labDir()
		if err != nil {
			return nil, err
		}
		home := filepath.Join(lab, ".cache", o.Version)
		if _, err := os.Stat(home); err != nil {
			return nil, fmt.Errorf("%w; run: make lab", err)
		}
		dir, err := p.dir()
		if err != nil {
			return nil, err
		}
		return &MySQL{Options: o, home: home, dir: dir, library: filepath.Join(lab, ".cache", "mysql-libs")}, nil
	})
}

// boot starts the server and makes its users.
func (m *MySQL) boot(ctx context.Context) error {
	if err := m.launchServer(ctx); err != nil {
		return err
	}
	return m.addUsers(ctx)
}

// launchServer starts the process and waits until it answers.
func (m *MySQL) launchServer(ctx context.Context) error {
	err := m.launch("sh", guarded(filepath.Join(m.home, "bin"), "--defaults-file="+filepath.Join(m.dir, "my.cnf")), "LD_LIBRARY_PATH="+m.library)
	if err != nil {
		return err
	}
	return await(ctx, func() error {
		if m.died() {
			return fmt.Errorf("%w: %s ended by itself", errHopeless, m.name)
		}
		return m.Root.PingContext(ctx)
	})
}

func (m *MySQL) kill() {
	m.process.kill()
	if m.Root != nil {
		m.Root.Close()
	}
}

func (m *MySQL) logs() map[string]string { return map[string]string{m.name: m.log} }

// Alone lets no other test that calls it use the server until this one ends.
func (m *MySQL) Alone(t testing.TB) {
	t.Helper()
	m.alone.Lock()
	t.Cleanup(m.alone.Unlock)
}

// Kill ends the server at once, as kill -9 does.
func (m *MySQL) Kill() { m.process.kill() }

// Stop ends the server in good order.
func (m *MySQL) Stop(t testing.TB) {
	t.Helper()
	if err := m.stop(); err != nil {
		t.Fatal(err)
	}
}

// Restart starts a server that was ended, and waits until it answers.
func (m *MySQL) Restart(t testing.TB) {
	t.Helper()
	within(t, patience, m.launchServer)
}

// Freeze makes the server hang, until Thaw: its connections stay open, and nothing is answered.
func (m *MySQL) Freeze(t testing.TB) {
	t.Helper()
	if err := m.signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
}

// Thaw lets a frozen server go on.
func (m *MySQL) Thaw(t testing.TB) {
	t.Helper()
	if err := m.signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
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
		c.Passwd, c.Net, c.Addr = "", "unix", m.Socket
	}
	c.MultiStatements, c.Logger = true, &mysql.NopLogger{}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}
