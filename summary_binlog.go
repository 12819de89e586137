package main

import (
	"errors"
	"fmt"
	"strings"

	"truelag/collector"
	"truelag/mysql"
	"truelag/web"
)

// binlogReviewOf is what was found last about the consumers of binlogs; nil: no server is read.
func binlogReviewOf(g *generation) *web.BinlogReview {
	if g.binlog == nil {
		return nil
	}
	from := g.binlog.Review()
	r := &web.BinlogReview{Read: from.At}
	for i := range from.Consumers {
		c := &from.Consumers[i]
		r.Consumers = append(r.Consumers, binlogConsumerOf(g.mysql(c.Server), c))
	}
	return r
}

// binlogsLacking says what MySQL servers do not allow, and of which no events are read because they would log it.
func binlogsLacking(g *generation) (off []web.Off) {
	if g.binlog == nil {
		return nil
	}
	for _, server := range g.binlog.Review().Servers {
		at := fmt.Sprintf(" at MySQL server %q", server.Name)
		for _, f := range server.Features {
			if f.Err == nil {
				continue
			}
			lack := web.Off{What: featureNames[f.Name] + at, Why: sentence(oneLine(f.Err))}
			if errors.Is(f.Err, mysql.ErrDenied) {
				lack.How = "It needs " + grants(f.Name, server.MariaDB) + "."
			}
			off = append(off, lack)
		}
		if scan := g.mysql(server.Name).config.Scan; server.MariaDB && scan.Enabled && !scan.MariaDB {
			off = append(off, web.Off{
				What: featureNames[mysql.FeatureScan] + at,
				Why:  "It is a MariaDB, which writes a line to its error log for each event scan.",
				How:  "Set scan.mariadb to true, and log_warnings to 1 at the server if the lines are not wanted.",
			})
		}
	}
	return off
}

// featureNames say what is missing without a feature of a MySQL server.
var featureNames = map[string]string{
	mysql.FeatureFiles:  "Lag in bytes and files",
	mysql.FeatureGTIDs:  "Lag in transactions",
	mysql.FeatureExpiry: "When files are purged",
	mysql.FeatureScan:   "Effective lag and its age",
}

// sentence ends a text with one full stop.
func sentence(text string) string { return strings.TrimSuffix(text, ".") + "." }

// mysql is the server of a name, with its configuration.
func (g *generation) mysql(name string) *mysqlServer {
	for _, s := range g.mysqls {
		if s.Name() == name {
			return s
		}
	}
	return &mysqlServer{}
}

func binlogConsumerOf(s *mysqlServer, c *collector.BinlogConsumerReview) web.BinlogConsumer {
	d := &c.Distance
	to := web.BinlogConsumer{
		Server: c.Server, Consumer: c.Name, State: d.State.String(), Told: c.Note.State, Reason: c.Note.Reason,
		Bytes: orUnknown(d.Bytes), Effective: orUnknown(d.Effective), Transactions: orUnknown(d.Transactions), Age: -1, Headroom: -1,
		ReportsAlone: d.State == mysql.NoPosition && len(c.Note.Reported) > 0 && s.configured(c.Name).Placeless(),
	}
	if c.Err != nil && to.Reason == "" {
		to.Reason = oneLine(c.Err)
	}
	if d.Seconds.Known {
		to.Age = d.Seconds.D
	}
	if d.HeadroomSeconds.Known {
		to.Headroom = d.HeadroomSeconds.D
	}
	return to
}

// orUnknown is a number, negative where it is not known.
func orUnknown(n mysql.Number) int64 {
	if !n.Known {
		return -1
	}
	return n.N
}
