package config

import (
	"fmt"
	"slices"
	"time"

	"truelag/mysql"
)

// Wants is what the mysql package needs to know of the server, but for its consumers and the scan. A password is read again for
// each connection, the user now.
func (s *MySQLServer) Wants() (mysql.Config, error) {
	dial, err := s.host().Dial(s.Timeout)
	if err != nil {
		return mysql.Config{}, err
	}
	return mysql.Config{
		Name: s.Label(), Dial: dial, Timeout: time.Duration(s.Timeout), FilesTimeout: time.Duration(s.FilesTimeout),
		Interval: time.Duration(s.Interval), Retention: time.Duration(s.Retention),
	}, nil
}

// Bookkeeping are the schemas, and tables as schema.table, that consumers write to for their own use: those that are configured,
// and those of Maxwells that note down their places at the server itself.
func (s *MySQLServer) Bookkeeping() []string {
	all := slices.Clone(s.Scan.IgnoreSchemas)
	for _, c := range s.Consumers {
		if c.SQL == nil || c.SQL.Preset != presetMaxwell || c.SQL.On != nil {
			continue
		}
		if database, _ := c.SQL.Maxwell(); !slices.Contains(all, database) {
			all = append(all, database)
		}
	}
	return all
}

// Dial is how to reach the server. Connecting takes as long as timeout at the most.
func (h *SQLHost) Dial(timeout Duration) (mysql.Dial, error) {
	d := mysql.Dial{Address: h.Address.whole(), Password: h.Password.reader(), Timeout: time.Duration(timeout)}
	var err error
	if file := string(h.CredentialsFile); file != "" {
		if d.User, _, err = readCredentials(file); err != nil {
			return d, fmt.Errorf("credentials_file: %w", err)
		}
		d.Password = func() (string, error) {
			_, password, err := readCredentials(file)
			return password, err
		}
	} else if d.User, err = h.User.Read(); err != nil {
		return d, fmt.Errorf("user: %w", err)
	}
	if h.TLS != nil {
		if d.TLS, err = h.TLS.client(h.Address.host()); err != nil {
			return d, fmt.Errorf("tls: %w", err)
		}
	}
	return d, nil
}
