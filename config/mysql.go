package config

import (
	"cmp"
	"net"
	"reflect"
	"strings"
	"time"
)

// MySQL says which MySQL and MariaDB servers to read, for the consumers of their binlogs.
type MySQL struct {
	Servers []MySQLServer `yaml:"servers"`
}

// MySQLServer is one server and those who read its binlog.
type MySQLServer struct {
	Name            string           `yaml:"name"` // the server label; empty: the address
	Address         MySQLAddress     `yaml:"address"`
	User            Secret           `yaml:"user"`
	Password        Secret           `yaml:"password"`
	CredentialsFile File             `yaml:"credentials_file"` // in place of user and password
	TLS             *TLS             `yaml:"tls"`              // nil: plain text
	Timeout         Duration         `yaml:"timeout"`
	FilesTimeout    Duration         `yaml:"files_timeout"`
	Interval        Duration         `yaml:"interval"`
	Retention       Duration         `yaml:"retention"` // 0: as the server says
	Scan            BinlogScan       `yaml:"scan"`
	Consumers       []BinlogConsumer `yaml:"consumers"`
}

func (s *MySQLServer) setDefaults() {
	*s = MySQLServer{
		Timeout: Duration(5 * time.Second), FilesTimeout: Duration(5 * time.Second), Interval: Duration(30 * time.Second),
		Scan: BinlogScan{Enabled: true, MaxBytes: 16 << 20, Timeout: Duration(3 * time.Second)},
	}
}

// host is how the server is reached.
func (s *MySQLServer) host() *SQLHost {
	return &SQLHost{Address: s.Address, User: s.User, Password: s.Password, CredentialsFile: s.CredentialsFile, TLS: s.TLS}
}

// Label is the value of the server label.
func (s *MySQLServer) Label() string { return cmp.Or(s.Name, string(s.Address)) }

// Equal says that two servers are configured alike, so that a reload can keep what the exporter knows of one. What the Kafka
// clusters are that it names, and who the user of a credentials file is, is for the caller to compare.
func (s MySQLServer) Equal(o MySQLServer) bool { return reflect.DeepEqual(s, o) }

// BinlogScan bounds the reading of the events that follow a consumer's position.
type BinlogScan struct {
	Enabled       bool     `yaml:"enabled"`
	MariaDB       bool     `yaml:"mariadb"` // of MariaDB's servers too, which log each
	MaxBytes      Bytes    `yaml:"max_bytes"`
	Timeout       Duration `yaml:"timeout"`
	ServerID      int      `yaml:"server_id"`
	IgnoreSchemas []string `yaml:"ignore_schemas"`
}

// defaultMySQLPort is where a server listens whose address has no port.
const defaultMySQLPort = "3306"

// socketPrefix is what the address of a socket in the file system begins with.
const socketPrefix = "unix:"

// MySQLAddress is host:port, or unix:/path.
type MySQLAddress string

func (a *MySQLAddress) parse(text string) error {
	const right = "write host:port or unix:/path/to/socket"
	if path, ok := strings.CutPrefix(text, socketPrefix); ok {
		if !strings.HasPrefix(path, "/") {
			return &wrong{shown(text) + " has no whole path", right}
		}
		*a = MySQLAddress(text)
		return nil
	}
	switch {
	case strings.ContainsAny(text, "@/"):
		return &wrong{shown(text) + " is no plain address", right + "; user and password have keys of their own"}
	case strings.ContainsAny(text, ", \t\n"):
		return &wrong{shown(text) + " is more than one address", "make each server an element of mysql.servers"}
	}
	host, port := text, defaultMySQLPort
	if strings.Contains(text, ":") && net.ParseIP(text) == nil {
		var err error
		if host, port, err = net.SplitHostPort(text); err != nil {
			return &wrong{shown(text) + " is no address", right + ", and an IPv6 host in brackets"}
		}
	}
	switch {
	case host == "":
		return &wrong{shown(text) + " has no host", right}
	case !portNumber(port):
		return &wrong{shown(text) + " has a port that is not one", "write a port from 1 to 65535, for example db-1:3306"}
	}
	*a = MySQLAddress(text)
	return nil
}

func (a MySQLAddress) String() string { return string(a) }

// whole is the address with its port.
func (a MySQLAddress) whole() string {
	if _, _, err := net.SplitHostPort(string(a)); err == nil || a.socket() {
		return string(a)
	}
	return net.JoinHostPort(string(a), defaultMySQLPort)
}

// host is whom a certificate must be of; empty for a socket.
func (a MySQLAddress) host() string {
	if a.socket() {
		return ""
	}
	host, _, err := net.SplitHostPort(a.whole())
	if err != nil {
		return ""
	}
	return host
}

func (a MySQLAddress) socket() bool { return strings.HasPrefix(string(a), socketPrefix) }
