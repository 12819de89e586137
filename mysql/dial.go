package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	driver "github.com/go-sql-driver/mysql"
)

// lifetime is when a connection is made anew: one that never ends would stay with a server whose name has moved on to another, and
// consumers that have moved along would be judged by the files of the old one meanwhile.
const lifetime = time.Minute

// Network is how net.Dial names the address. An error says what an address looks like.
func (d Dial) Network() (network, address string, err error) {
	if path, ok := strings.CutPrefix(d.Address, "unix:"); ok {
		if path == "" {
			return "", "", fmt.Errorf("address %q: want host:port or unix:/path/of/socket", d.Address)
		}
		return "unix", path, nil
	}
	if _, port, err := net.SplitHostPort(d.Address); err != nil || port == "" {
		return "", "", fmt.Errorf("address %q: want host:port or unix:/path/of/socket", d.Address)
	}
	return "tcp", d.Address, nil
}

// Open returns a pool of one connection, which is made when it is first used and runs queries alone. An error shows no secret.
func (d Dial) Open() (*sql.DB, error) {
	cfg := driver.NewConfig()
	var err error
	if cfg.Net, cfg.Addr, err = d.Network(); err != nil {
		return nil, err
	}
	if d.User == "" {
		return nil, errors.New("no user: want the name that the server knows")
	}
	cfg.User = d.User
	cfg.TLS = d.TLS.Clone()
	cfg.AllowCleartextPasswords = cfg.TLS != nil || cfg.Net == "unix" // so LDAP, PAM and the tokens of clouds have it
	cfg.Timeout = d.Timeout
	cfg.Logger = &driver.NopLogger{} // it returns all that it logs
	if d.Password != nil {
		err = cfg.Apply(driver.BeforeConnect(func(_ context.Context, cfg *driver.Config) error {
			password, err := d.Password()
			cfg.Passwd = password
			return err
		}))
		if err != nil {
			return nil, err
		}
	}
	cfg.DialFunc = dialed
	cfg.InterpolateParams = true
	// A server may begin connections with autocommit off. A query would then see the same rows, and hold its tables, for as long as the
	// connection is kept.
	cfg.Params = map[string]string{"autocommit": "1"}
	inner, err := driver.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(&connector{Connector: inner})
	db.SetMaxOpenConns(1)
	db.SetMaxIdleConns(1)
	db.SetConnMaxLifetime(lifetime)
	return db, nil
}

// What servers answer to a statement.
const (
	errorVariable = 1193 // there is no such variable
	errorBinlog   = 1381 // no binlog is written
)

var (
	errClear = errors.New("the server asks for the password in clear, and the connection is without TLS: it is not told")
	errOld   = errors.New("the user has a password from before MySQL 4.1, of which the server wants a hash that is not safe to tell: " +
		"give the user a new one, with old_passwords = 0")
)

// longestWords is how much of a server's own words an error shows.
const longestWords = 300

// answered makes an error of a login or a statement one of ours: what the server has to say is cut to a length that fits a
// line, and a missing privilege is told as ErrDenied.
func answered(err error) error {
	var said *driver.MySQLError
	switch { // the driver's own words are about settings that nobody has here
	case errors.Is(err, driver.ErrCleartextPassword):
		return errClear
	case errors.Is(err, driver.ErrOldPassword):
		return errOld
	case !errors.As(err, &said):
		return err
	}
	short := *said
	if len(short.Message) > longestWords {
		short.Message = strings.ToValidUTF8(short.Message[:longestWords], "") + "..."
	}
	switch said.Number {
	case 1044, 1142, 1143, 1227, 1370:
		return fmt.Errorf("%w: %w", ErrDenied, &short)
	}
	return &short
}

// says tells whether err is what a server answered with that number.
func says(err error, number uint16) bool {
	var said *driver.MySQLError
	return errors.As(err, &said) && said.Number == number
}
