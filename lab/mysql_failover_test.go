//go:build e2e

package lab_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"truelag/lab"
	"truelag/mysql"
)

// replicate makes a server a replica of another one, and waits until it has all of its transactions. Both begin anew.
func replicate(t *testing.T, replica, primary *lab.MySQL) {
	t.Helper()
	how := "MASTER_AUTO_POSITION=1"
	replica.Exec(t, "RESET MASTER")
	if replica.Options.MariaDB() {
		how = "MASTER_USE_GTID=slave_pos"
		replica.Exec(t, "SET GLOBAL gtid_slave_pos=''")
	}
	replica.Exec(t, fmt.Sprintf("CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=%d, MASTER_USER='%s', MASTER_PASSWORD='%s', "+
		"MASTER_CONNECT_RETRY=1, %s", primary.Port, lab.Replicator, lab.Password(lab.Replicator), how), "START SLAVE")
	t.Cleanup(func() {
		if _, err := replica.Root.Exec("STOP SLAVE"); err != nil {
			t.Error(err)
		}
	})
	awaitReplica(t, replica, primary)
}

func awaitReplica(t *testing.T, replica, primary *lab.MySQL) {
	t.Helper()
	lab.Await(t, func() error {
		if got, want := replica.GTIDs(t), primary.GTIDs(t); got != want {
			status := replica.Rows(t, "SHOW SLAVE STATUS")
			return fmt.Errorf("the replica has %q of %q: %s %s", got, want, status[0]["Last_IO_Error"], status[0]["Last_SQL_Error"])
		}
		return nil
	})
}

// door is an address that leads to one server, and then to another.
type door struct {
	address string

	mu    sync.Mutex
	to    string
	conns []net.Conn
}

func newDoor(t *testing.T, to string) *door {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &door{address: l.Addr().String(), to: to}
	t.Cleanup(func() {
		l.Close()
		d.turn("")
	})
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			d.mu.Lock()
			out, err := net.Dial("tcp", d.to)
			if err != nil {
				in.Close()
			} else {
				d.conns = append(d.conns, in, out)
				go pipe(in, out)
				go pipe(out, in)
			}
			d.mu.Unlock()
		}
	}()
	return d
}

func pipe(to, from net.Conn) {
	io.Copy(to, from) // until either end is closed
	to.Close()
}

// turn ends what is connected, and leads to another server from now on.
func (d *door) turn(to string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.conns {
		c.Close()
	}
	d.to, d.conns = to, nil
}

// When a replica takes over, the place of a consumer is in files that it does not have; its set tells what it has left to read,
// and a place in the new files is measured as any other.
func TestBinlogFailover(t *testing.T) {
	t.Parallel()
	for _, version := range []string{lab.MySQL80, lab.MariaDB10} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			primary := pool.MySQL(t, lab.MySQLOptions{Version: version})
			primary.Alone(t)
			replica := pool.MySQL(t, lab.MySQLOptions{Version: version, LogBin: "other.name"})
			replica.Alone(t)
			primary.Exec(t, "RESET MASTER")
			schema(t, primary, "failover")
			replicate(t, replica, primary)
			fill(t, primary, "failover", 5)
			k := here(t, primary, "mark")
			fill(t, primary, "failover", 3)
			awaitReplica(t, replica, primary)

			d := newDoor(t, primary.Address)
			cfg := mysqlConfig(primary, lab.Monitor, nil, k, k.bare(), k.setOnly())
			cfg.Dial.Address = d.address
			reader := newReader(t, cfg)
			before, distances := measured(t, reader)
			wantStates(t, "before", distances, map[*mark]mysql.State{k: mysql.OK, k.bare(): mysql.OK, k.setOnly(): mysql.OK})

			d.turn(replica.Address)
			lab.Await(t, func() error { // a connection that was cut is noticed when it is used, and there are two
				r := reader.Read(t.Context())
				if r.Err == nil && len(r.Inventory.Files) == 0 {
					return fmt.Errorf("no list of files yet: %v", r.Features)
				}
				return r.Err
			})
			after, distances := measured(t, reader)
			wantStates(t, "after", distances, map[*mark]mysql.State{k: mysql.Foreign, k.bare(): mysql.Foreign, k.setOnly(): mysql.OK})
			if after.Inventory.Server == before.Inventory.Server {
				t.Errorf("both servers are %q", after.Inventory.Server)
			}
			if got := after.Inventory.Files[0].Name; !strings.HasPrefix(got, "other.0") {
				t.Errorf("the first file is %s", got)
			}
			for _, name := range []string{k.name, k.setOnly().name} {
				if d := distances[name]; d.Transactions != known(3) || d.Bytes.Known {
					t.Errorf("after: %s: %+v, want 3 transactions and no bytes", name, d)
				}
			}

			fill(t, replica, "failover", 2)
			end := replica.End(t)
			k.set(mysql.Position{File: end.Name, Pos: end.Size, GTIDs: replica.GTIDs(t)})
			fill(t, replica, "failover", 4)
			_, distances = measured(t, reader)
			want := replica.Left(t, end.Name, end.Size)
			if d := distances[k.name]; d.State != mysql.OK || d.Bytes != known(want.Bytes) || d.Transactions != known(4) {
				t.Errorf("gone on: %+v, want %+v", d, want)
			}
		})
	}
}

// A replica's files may have the same names and numbers, and other events at the same places: there a consumer's set is all that
// counts. Without one there is no place for it.
func TestBinlogFailoverToFilesOfTheSameNames(t *testing.T) {
	t.Parallel()
	for _, version := range []string{lab.MySQL80, lab.MariaDB10} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			primary := pool.MySQL(t, lab.MySQLOptions{Version: version})
			primary.Alone(t)
			replica := pool.StartMySQL(t, lab.MySQLOptions{Version: version})
			primary.Exec(t, "RESET MASTER")
			schema(t, primary, "namesakes")
			replicate(t, replica, primary)
			var marks []*mark
			left := map[string]int64{}
			for i := range int64(8) {
				k := here(t, primary, fmt.Sprint(i))
				p := k.place()
				p.Pos -= 9 // in the midst of an event at either: what is where at the replica is a matter of luck
				k.set(p)
				marks = append(marks, k, k.bare())
				left[k.name] = 8 - i
				fill(t, primary, "namesakes", 1)
			}
			awaitReplica(t, replica, primary)
			r := readServer(t, mysqlReader(t, replica, lab.Monitor, newScanner(t, replica), consumers(marks)...))
			for _, c := range r.Consumers {
				want, bySet := left[c.Name]
				switch d := c.Distance; {
				case c.Scan == nil || c.Scan.After != mysql.NoEvent:
					t.Errorf("%s: %s, want no event there", c.Name, brief(c))
				case !bySet && d.State != mysql.Invalid:
					t.Errorf("without a set: %s", brief(c))
				case bySet && (d.State != mysql.OK || d.Transactions != known(want) || d.Bytes.Known):
					t.Errorf("%s: %s, want %d transactions by the set", c.Name, brief(c), want)
				}
			}
		})
	}
}
