package mysql

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-kit/log"
	wire "github.com/go-mysql-org/go-mysql/mysql"
)

func TestServers(t *testing.T) {
	mysql := func(version string, variables ...string) func(*fakeServer) {
		return func(f *fakeServer) {
			f.version = version
			delete(f.variables, "binlog_expire_logs_seconds")
			delete(f.variables, "binlog_expire_logs_auto_purge")
			for _, v := range variables {
				name, value, _ := strings.Cut(v, "=")
				f.variables[name] = value
			}
		}
	}
	mariadb := func(version string, variables ...string) func(*fakeServer) {
		return func(f *fakeServer) {
			mysql(version, variables...)(f)
			f.uuid = ""
			delete(f.variables, "gtid_executed")
			delete(f.variables, "gtid_purged")
			f.variables["gtid_binlog_pos"] = "0-1-50,7-2-9"
			f.columns, f.rows = []string{"Log_name", "File_size"}, [][]any{{"binlog.000001", uint64(1000)}, {"binlog.000002", uint64(388)}}
		}
	}
	const mariaServer = "db-0:3306/7"
	for _, c := range []struct {
		name   string
		set    func(*fakeServer)
		flavor Flavor
		server string
		expire time.Duration
	}{
		{"5.6", mysql("5.6.24-log", "expire_logs_days=3"), MySQL, uuidA, 72 * time.Hour},
		{"5.7, never", mysql("5.7.22", "expire_logs_days=0"), MySQL, uuidA, 0},
		{"8.0, seconds", mysql("8.0.31", "expire_logs_days=0", "binlog_expire_logs_seconds=2592000", "binlog_expire_logs_auto_purge=1"), MySQL, uuidA, 720 * time.Hour},
		{"8.0, days", mysql("8.0.12", "expire_logs_days=2", "binlog_expire_logs_seconds=0"), MySQL, uuidA, 48 * time.Hour},
		{"8.0, both", mysql("8.0.11", "expire_logs_days=2", "binlog_expire_logs_seconds=3600"), MySQL, uuidA, time.Hour},
		{"8.4", mysql("8.4.6", "binlog_expire_logs_seconds=100", "binlog_expire_logs_auto_purge=1"), MySQL, uuidA, 100 * time.Second},
		{"not by itself", mysql("9.1.0", "binlog_expire_logs_seconds=100", "binlog_expire_logs_auto_purge=OFF"), MySQL, uuidA, 0},
		{"not by itself, as a SELECT says it", mysql("8.0.31", "expire_logs_days=0", "binlog_expire_logs_seconds=100", "binlog_expire_logs_auto_purge=0"), MySQL, uuidA, 0},
		{"the numbering by years", mysql("26.10.0", "binlog_expire_logs_seconds=7"), MySQL, uuidA, 7 * time.Second},
		{"mariadb 10.5", mariadb("10.5.23-MariaDB-log", "expire_logs_days=10"), MariaDB, mariaServer, 240 * time.Hour},
		{"mariadb 10.6, the first with seconds", mariadb("10.6.1-MariaDB", "expire_logs_days=0.001042", "binlog_expire_logs_seconds=90"), MariaDB, mariaServer, 90 * time.Second},
		{"mariadb 10.11", mariadb("10.11.19-MariaDB-0+deb12u1", "expire_logs_days=0.5", "binlog_expire_logs_seconds=43200"), MariaDB, mariaServer, 12 * time.Hour},
		{"mariadb 12 by its comment", mariadb("12.1.2", "expire_logs_days=0", "binlog_expire_logs_seconds=60", "version_comment=mariadb.org binary distribution"), MariaDB, mariaServer, time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := fake(t)
			f.change(func() { c.set(f) })
			s := reader(t, f.dial(), nil, at("binlog.000001", 700, ""))
			works(t, s)
			asked := len(f.statements)
			r := works(t, s)
			inv := r.Inventory
			if r.Flavor != c.flavor || inv.Flavor != c.flavor || r.Version != f.version || inv.Server != c.server || inv.Expire != c.expire {
				t.Errorf("read %s %s, %s, expire %s", r.Flavor, r.Version, inv.Server, inv.Expire)
			}
			if inv.Executed == nil || inv.Executed.IsEmpty() || inv.Purged == nil {
				t.Errorf("sets %v and %v", inv.Executed, inv.Purged)
			}
			d := r.Consumers[0].Distance
			if d.State != OK || !d.Bytes.is(300+388) || !d.HeadroomBytes.is(700) {
				t.Errorf("distance %+v", d)
			}
			if since := time.Since(inv.Clock); since < -time.Second || since > time.Minute {
				t.Errorf("the server's clock is %s behind", since)
			}
			// What a server does not know it is asked once: then a round is four statements and the question who answers the last, and on
			// MariaDB another of what is purged.
			want := 5
			if c.flavor == MariaDB {
				want++
			}
			if again := len(f.statements) - asked; again != want {
				t.Errorf("the second round asks %d times: %q", again, f.statements[asked:])
			}
		})
	}
}

func TestManyFiles(t *testing.T) {
	f := fake(t)
	f.change(func() {
		f.rows = nil
		for i := range 5000 {
			f.rows = append(f.rows, []any{fmt.Sprintf("binlog.%06d", 997_000+i), uint64(100), "No"})
		}
	})
	d := works(t, reader(t, f.dial(), nil, at("binlog.999999", 100, ""))).Consumers[0].Distance
	if !d.Files.is(2000) || !d.Bytes.is(200_000) || !d.HeadroomFiles.is(2999) {
		t.Errorf("%+v", d)
	}
}

// A missing privilege costs what it is for, and says so.
func TestMissingPrivileges(t *testing.T) {
	denied := wire.NewError(wire.ER_SPECIFIC_ACCESS_DENIED_ERROR, "Access denied; you need (at least one of) the SUPER, REPLICATION CLIENT privilege(s) for this operation")
	for feature, statement := range map[string]string{
		FeatureFiles: "SHOW BINARY LOGS", FeatureGTIDs: "SELECT @@global.gtid", FeatureExpiry: "SELECT @@global.binlog_expire",
	} {
		t.Run(feature, func(t *testing.T) {
			f := fake(t)
			f.errors[statement] = denied
			r := reader(t, f.dial(), nil, at("binlog.000001", 700, uuidA+":1-4:mysqlsh:1-2")).Read(t.Context())
			if r.Err != nil {
				t.Fatal(r.Err)
			}
			for _, of := range r.Features {
				if failed := of.Err != nil; failed != (of.Name == feature) {
					t.Errorf("%s: %v", of.Name, of.Err)
				} else if failed && (!errors.Is(of.Err, ErrDenied) || !strings.Contains(of.Err.Error(), "REPLICATION CLIENT")) {
					t.Errorf("%v", of.Err)
				}
			}
			d := r.Consumers[0].Distance
			if d.State != OK || d.Bytes.Known == (feature == FeatureFiles) || d.Transactions.Known == (feature == FeatureGTIDs) ||
				d.HeadroomSeconds.Known && feature == FeatureExpiry {
				t.Errorf("%+v", d)
			}
		})
	}
}

// A server without a binlog is no server that is down, and its sets tell nothing of what can be read there.
func TestNoBinlog(t *testing.T) {
	for name, set := range map[string]func(*fakeServer){
		"error 1381": func(f *fakeServer) {
			f.errors["SHOW BINARY LOGS"] = wire.NewError(1381, "You are not using binary logging")
		},
		"no rows": func(f *fakeServer) { f.rows = nil },
	} {
		t.Run(name, func(t *testing.T) {
			f := fake(t)
			set(f)
			r := reader(t, f.dial(), nil, at("binlog.000001", 700, uuidA+":1-4")).Read(t.Context())
			if err := feature(t, r, FeatureFiles); r.Err != nil || !errors.Is(err, errNoBinlog) {
				t.Errorf("%v, files: %v", r.Err, err)
			}
			if inv := r.Inventory; inv.Files == nil || len(inv.Files) != 0 || r.Consumers[0].Distance.State != Unknown {
				t.Errorf("files %v, %+v", inv.Files, r.Consumers[0].Distance)
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	f := fake(t)
	wrong := f.dial()
	wrong.Password = func() (string, error) { return "wr0ng", nil }
	secretless := f.dial()
	secretless.Password = func() (string, error) { return "", errors.New("read the password file: no such file") }
	for name, dial := range map[string]Dial{
		"nobody listens": {Address: "127.0.0.1:1", User: "mon"}, // a port that was free may be another program's by now
		"no socket":      {Address: "unix:" + filepath.Join(t.TempDir(), "s"), User: "mon"},
		"wrong password": wrong,
		"no password":    secretless,
	} {
		t.Run(name, func(t *testing.T) {
			c := at("binlog.000001", 700, "")
			r := reader(t, dial, nil, c, &notebook{name: "new"}).Read(t.Context())
			if r.Err == nil || r.Inventory != nil || !strings.Contains(r.Err.Error(), dial.Address) {
				t.Fatalf("%v", r.Err)
			}
			for _, secret := range []string{"s3cret", "wr0ng", "mon:"} {
				if strings.Contains(r.Err.Error(), secret) {
					t.Errorf("%q is told: %v", secret, r.Err)
				}
			}
			first, second := r.Consumers[0], r.Consumers[1]
			if first.Note.Position == nil || first.Distance.State != Unknown || second.Distance.State != NoPosition {
				t.Errorf("the notes are lost: %+v", r.Consumers)
			}
		})
	}
}

func TestBadConfig(t *testing.T) {
	good := func() Config {
		return Config{Dial: Dial{Address: "h:1", User: "u"}, Timeout: 1, FilesTimeout: 1}
	}
	for want, change := range map[string]func(*Config){
		`address "h": want host:port`:       func(c *Config) { c.Dial.Address = "h" },
		`address "unix:": want host:port`:   func(c *Config) { c.Dial.Address = "unix:" },
		"no user":                           func(c *Config) { c.Dial.User = "" },
		"timeout is 0s":                     func(c *Config) { c.Timeout = 0 },
		"timeout of the list of files is":   func(c *Config) { c.FilesTimeout = -1 },
		"interval is -1ns: want 0 or more":  func(c *Config) { c.Interval = -1 },
		"retention is -1ns: want 0 or more": func(c *Config) { c.Retention = -1 },
	} {
		cfg := good()
		change(&cfg)
		if _, err := New(cfg, log.NewNopLogger()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := New(good(), log.NewNopLogger()); err != nil {
		t.Error(err)
	}
}
