package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"truelag/mysql/gtid"
)

// identity is which server answers. What it names comes from the server itself, and changes where a name or a proxy leads to
// another one.
type identity struct {
	server  string // as Inventory.Server
	flavor  Flavor
	version string
}

// facts are what statements tell that no lock of the binlog holds up.
type facts struct {
	identity
	at    time.Time // when the server was asked
	heard time.Time // when it had told its clock
	clock time.Time // what that showed; zero: not known

	executed, purged *gtid.Set
	anonymous        bool // as Inventory.Anonymous
	gtidsErr         error

	expire    time.Duration
	expiryErr error
}

// asker asks for variables. It remembers which of them a server does not have.
type asker struct {
	missing map[string]bool
	of      string // the version that lacks them
}

// ask reads all that facts hold. Its error is why the server could not even say which it is.
func (a *asker) ask(ctx context.Context, conn *sql.Conn) (facts, error) {
	f := facts{at: time.Now()}
	var clock string
	var err error
	if f.identity, clock, err = a.identify(ctx, conn); err != nil {
		return facts{}, err
	}
	f.heard = time.Now()
	f.clock, err = time.Parse(time.DateTime, clock)
	if err != nil {
		f.clock = time.Time{} // ages are not known then
	}
	if f.gtidsErr = a.sets(ctx, conn, &f); f.gtidsErr != nil && ctx.Err() != nil {
		return facts{}, f.gtidsErr
	}
	if f.expire, f.expiryErr = a.expiry(ctx, conn, f.identity); f.expiryErr != nil && ctx.Err() != nil {
		return facts{}, f.expiryErr
	}
	return f, nil
}

// identify asks a server which it is, and what time.
func (a *asker) identify(ctx context.Context, conn *sql.Conn) (id identity, clock string, err error) {
	const extra = "UTC_TIMESTAMP(6) AS clock" // free of time zones, and of the hour that comes twice a year
	names := []string{"version", "version_comment", "server_uuid", "server_id", "hostname", "port"}
	v, err := a.variables(ctx, conn, extra, names...)
	if err == nil && a.of != "" && a.of != v["version"] { // what the one before lacks, this one may have
		clear(a.missing)
		v, err = a.variables(ctx, conn, extra, names...)
	}
	if err != nil {
		return identity{}, "", fmt.Errorf("ask the server which it is: %w", err)
	}
	if v["version"] == "" { // no row, or none that can be read, as init_connect may have it
		return identity{}, "", errors.New("ask the server which it is: it tells no version")
	}
	a.of = v["version"]
	id = identity{version: v["version"], server: v["server_uuid"]}
	if strings.Contains(strings.ToLower(v["version"]+v["version_comment"]), "mariadb") {
		id.flavor = MariaDB
	}
	if id.server == "" { // MariaDB has no name of its own for a server
		id.server = fmt.Sprintf("%s:%s/%s", v["hostname"], v["port"], v["server_id"])
	}
	if n := max(len(id.server), len(id.version)); n > maxName {
		return identity{}, "", fmt.Errorf("ask the server which it is: it answers with %d bytes: want at most %d", n, maxName)
	}
	return id, v["clock"], nil
}

// sets reads the sets of transactions, and whether the server still adds each transaction to them.
func (a *asker) sets(ctx context.Context, conn *sql.Conn, f *facts) error {
	const mode, highest = "gtid_mode", "gtid_binlog_state"
	names, more := []string{"gtid_executed", "gtid_purged"}, []string{mode}
	if f.flavor == MariaDB {
		names, more = []string{"gtid_binlog_pos"}, []string{highest}
	}
	v, err := a.variables(ctx, conn, "", slices.Concat(names, more)...)
	if err != nil {
		return fmt.Errorf("read the sets of transactions: %w", err)
	}
	sets := make([]*gtid.Set, 2)
	for i, name := range names {
		text, ok := v[name]
		if !ok {
			continue
		}
		set, err := f.flavor.Parse(text)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		sets[i] = &set
	}
	if sets[0] == nil {
		return fmt.Errorf("the server has no variable %s", names[0])
	}
	f.executed, f.purged, f.anonymous = sets[0], sets[1], strings.HasPrefix(v[mode], "OFF")
	// The last transaction of a domain may have a lower number than one before it, where two servers write to the same.
	if had, err := f.flavor.Parse(v[highest]); err == nil && !f.executed.Contains(had) {
		all := f.executed.Union(had)
		f.executed, f.anonymous = &all, true
	}
	return nil
}

// expiry is after which time the server purges a file; 0: never.
func (a *asker) expiry(ctx context.Context, conn *sql.Conn, id identity) (time.Duration, error) {
	const days, secs, purge = "expire_logs_days", "binlog_expire_logs_seconds", "binlog_expire_logs_auto_purge"
	var names []string
	switch v := parseVersion(id.version); {
	case id.flavor == MariaDB && v.atLeast(10, 6, 1):
		names = []string{secs, days}
	case id.flavor == MariaDB || !v.atLeast(8, 0, 1):
		names = []string{days}
	case !v.atLeast(8, 4, 0):
		names = []string{secs, days, purge}
	default:
		names = []string{secs, purge}
	}
	v, err := a.variables(ctx, conn, "", names...)
	switch {
	case err != nil:
		return 0, fmt.Errorf("read after which time files are purged: %w", err)
	case v[purge] == "0" || strings.EqualFold(v[purge], "off"):
		return 0, nil
	case len(v) == 0:
		return 0, errors.New("the server has no variable that says after which time files are purged")
	}
	// Where both are set, the one that counts is the one of seconds. Days may have a fraction on MariaDB.
	for _, unit := range []struct {
		name string
		of   time.Duration
	}{{secs, time.Second}, {days, 24 * time.Hour}} {
		text, ok := v[unit.name]
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || !(n >= 0 && n*float64(unit.of) < math.MaxInt64) {
			return 0, fmt.Errorf("%s is %q: want a number from 0", unit.name, text)
		}
		if n > 0 {
			return time.Duration(n * float64(unit.of)), nil
		}
	}
	return 0, nil
}

// variables reads global variables, and an expression beside them. Those that the server does not have, or has as NULL, are
// missing in the answer.
func (a *asker) variables(ctx context.Context, conn *sql.Conn, extra string, names ...string) (map[string]string, error) {
	for {
		var list []string
		if extra != "" {
			list = append(list, extra)
		}
		for _, name := range names {
			if !a.missing[name] {
				list = append(list, "@@global."+name+" AS "+name)
			}
		}
		found := make(map[string]string, len(list))
		if len(list) == 0 {
			return found, nil
		}
		err := query(ctx, conn, func(r row) error {
			for name := range r.columns {
				if text, ok := r.text(name); ok {
					found[name] = text
				}
			}
			return nil
		}, "SELECT "+strings.Join(list, ", "))
		if !says(err, errorVariable) || !a.lacks(err, names) {
			return found, err
		}
	}
}

// lacks notes which of the names is the one that the server's error 1193 quotes; false: none.
func (a *asker) lacks(err error, names []string) bool {
	for _, name := range names {
		if !a.missing[name] && strings.Contains(err.Error(), "'"+name+"'") {
			if a.missing == nil {
				a.missing = make(map[string]bool)
			}
			a.missing[name] = true
			return true
		}
	}
	return false
}
