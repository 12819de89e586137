package lab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Users of every server; Password is theirs.
const (
	Monitor    = "monitor"    // may see the binlog's files and read the binlog: what the exporter asks for
	Replicator = "replicator" // what a consumer asks for
	Nobody     = "nobody"     // may connect
	FilesOnly  = "files_only" // may see the binlog's files
)

// configure copies the empty data directory and writes my.cnf.
func (m *MySQL) configure() error {
	ports, err := freePorts(1)
	if err != nil {
		return err
	}
	m.name, m.log = fmt.Sprintf("%s at port %d", m.Options.Version, ports[0]), filepath.Join(m.dir, "server.log")
	m.Port, m.Address, m.socket = ports[0], fmt.Sprintf("127.0.0.1:%d", ports[0]), filepath.Join(m.dir, "socket")
	if err := os.CopyFS(filepath.Join(m.dir, "data"), os.DirFS(filepath.Join(m.home.dir, "data"))); err != nil {
		return err
	}
	for _, d := range []string{"binlog", "tmp"} {
		if err := os.Mkdir(filepath.Join(m.dir, d), 0o700); err != nil {
			return err
		}
	}
	settings := m.settings()
	if !m.Options.old() {
		m.CA = filepath.Join(m.dir, "ca.pem")
		keys := filepath.Join(m.dir, "server.pem")
		if err := selfSigned(m.CA, keys); err != nil {
			return fmt.Errorf("make a certificate: %w", err)
		}
		settings = append(settings, "ssl_ca="+m.CA, "ssl_cert="+keys, "ssl_key="+keys)
	}
	if m.Root, err = m.open("root"); err != nil {
		return err
	}
	text := "[mysqld]\n" + strings.Join(settings, "\n") + "\n"
	return os.WriteFile(filepath.Join(m.dir, "my.cnf"), []byte(text), 0o600)
}

// settings are those of every server: small, and in no hurry to write to disk.
func (m *MySQL) settings() []string {
	o, server := m.Options, filepath.Join(m.home.dir, "server")
	in := func(name string) string { return filepath.Join(m.dir, name) }
	s := []string{
		"user=root", // only where root starts it
		"basedir=" + server,
		"datadir=" + in("data"),
		"tmpdir=" + in("tmp"),
		"socket=" + m.socket,
		"pid-file=" + in("pid"),
		"bind-address=127.0.0.1",
		fmt.Sprintf("port=%d", m.Port),
		fmt.Sprintf("server_id=%d", m.Port),
		"log_bin=" + filepath.Join(in("binlog"), o.LogBin),
		"binlog_format=ROW",
		fmt.Sprintf("max_binlog_size=%d", MaxBinlogSize),
		"log_slave_updates=ON",
		"skip-name-resolve",
		"skip-slave-start",
		"innodb_buffer_pool_size=32M",
		"innodb_flush_log_at_trx_commit=0",
		"sync_binlog=0",
		"max_allowed_packet=1G",
		"net_write_timeout=3600", // a connector that is paused takes nothing
	}
	messages := filepath.Join(server, "share")
	switch o.Version {
	case MariaDB10:
		messages = filepath.Join(server, "usr", "share", "mysql")
		fallthrough
	case MariaDB11:
		s = append(s, "gtid_strict_mode=ON", "log_warnings=1") // else each dump is logged
	default:
		s = append(s, "gtid_mode=ON", "enforce_gtid_consistency=ON")
	}
	if o.old() {
		s = append(s, "explicit_defaults_for_timestamp=1")
	}
	if o.Version == MySQL80 {
		// the password plugin is one that clients of that day know
		s = append(s, "mysqlx=OFF", "default_authentication_plugin=mysql_native_password", "innodb_redo_log_capacity=8M")
	} else {
		s = append(s, "innodb_log_file_size=5M")
	}
	return append(s, "lc_messages_dir="+messages)
}

// addUsers makes the users. They are not in the binlog: its first transaction is the test's own.
func (m *MySQL) addUsers(ctx context.Context) error {
	client, more := "REPLICATION CLIENT", "RELOAD, SELECT, LOCK TABLES, SHOW DATABASES"
	if m.Options.MariaDB() {
		client, more = "BINLOG MONITOR", more+", REPLICATION MASTER ADMIN, SLAVE MONITOR"
	}
	statements := []string{"SET sql_log_bin=0"}
	if m.Options.Version == MySQL56 {
		// else local users are taken for one without a name
		statements = append(statements, "DELETE FROM mysql.user WHERE User=''", "FLUSH PRIVILEGES")
	}
	for user, grants := range map[string]string{
		Monitor:    client + ", REPLICATION SLAVE",
		Replicator: client + ", REPLICATION SLAVE, " + more,
		FilesOnly:  client,
		Nobody:     "USAGE",
	} {
		statements = append(statements,
			fmt.Sprintf("CREATE USER %s@'%%' IDENTIFIED BY '%s'", user, Password(user)),
			fmt.Sprintf("GRANT %s ON *.* TO %s@'%%'", grants, user))
	}
	return m.exec(ctx, statements...)
}
