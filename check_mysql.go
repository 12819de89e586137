package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"truelag/config"
	"truelag/kafka"
	"truelag/mysql"
)

// mysqlProbe is what a MySQL server and its consumers have said when they were read once.
type mysqlProbe struct {
	*mysqlServer
	read     *mysql.Reading
	findings []kafka.Finding // in the form of Kafka's
}

// probeMySQL reads a server and its consumers and prints what came.
func probeMySQL(s *mysqlServer) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*defaultTimeout) // it is asked for one thing after the other
	defer cancel()
	p := &mysqlProbe{mysqlServer: s, read: s.Read(ctx)}
	if p.server() {
		for _, f := range p.read.Features {
			p.feature(f)
		}
	}
	for i := range p.read.Consumers {
		p.consumer(&p.read.Consumers[i])
	}
	return report(fmt.Sprintf("MySQL server %q", s.Name()), fmt.Sprintf("mysql server %q", s.Name()), p.findings)
}

func (p *mysqlProbe) add(feature, needs string, lacking bool, found string) {
	p.findings = append(p.findings, kafka.Finding{Feature: feature, Needs: needs, Found: found, Lacking: lacking})
}

// server is about the server as a whole. It is false where it could not be read.
func (p *mysqlProbe) server() bool {
	const needs = "a user that may log in"
	feature := "server at " + string(p.config.Address)
	if err := p.read.Err; err != nil {
		p.add(feature, needs, true, oneLine(err))
		return false
	}
	p.add(feature, needs, false, versionOf(p.read))
	return true
}

// grants are the privileges that a feature needs.
func grants(feature string, mariadb bool) string {
	switch {
	case feature == mysql.FeatureFiles && mariadb:
		return "BINLOG MONITOR, REPLICATION CLIENT before 10.5"
	case feature == mysql.FeatureFiles:
		return "REPLICATION CLIENT"
	case feature == mysql.FeatureScan:
		return "REPLICATION SLAVE"
	}
	return "no privilege"
}

func (p *mysqlProbe) feature(f mysql.Feature) {
	what := f.Name + ": " + strings.ToLower(featureNames[f.Name][:1]) + featureNames[f.Name][1:]
	needs := grants(f.Name, p.read.Flavor == mysql.MariaDB)
	if f.Err != nil {
		p.add(what, needs, true, oneLine(f.Err))
		return
	}
	p.add(what, needs, false, p.works(f.Name))
}

// works says what a feature that works has found.
func (p *mysqlProbe) works(feature string) string {
	inv := p.read.Inventory
	switch {
	case inv == nil:
	case feature == mysql.FeatureFiles && len(inv.Files) > 0:
		last := inv.Files[len(inv.Files)-1]
		return fmt.Sprintf("%d, the last being %s", len(inv.Files), last.Name)
	case feature == mysql.FeatureGTIDs && inv.Executed != nil && inv.Executed.IsEmpty():
		return "the set is empty: the server writes no GTIDs, or has written nothing"
	case feature == mysql.FeatureGTIDs && inv.Executed != nil:
		return fmt.Sprintf("%d in the server's set", inv.Executed.Count())
	case feature == mysql.FeatureExpiry && inv.Expire > 0:
		return fmt.Sprintf("%s after they were last written to", config.Duration(inv.Expire))
	case feature == mysql.FeatureExpiry:
		return "not by time"
	case feature == mysql.FeatureScan && p.read.Flavor == mysql.MariaDB && !p.config.Scan.MariaDB:
		return "switched off, as MariaDB logs each scan: scan.mariadb: true switches it on"
	case feature == mysql.FeatureScan && slices.ContainsFunc(p.read.Consumers, unseen):
		return "not denied, and yet not all events could be read, see below"
	case feature == mysql.FeatureScan && !p.read.Scanned():
		return "not tried: no consumer's place is known to be in the server's files"
	}
	return "it works"
}

// unseen says that the events after a consumer's place could not be read.
func unseen(c mysql.ConsumerReading) bool { return c.ScanErr != nil }

// consumer is about one consumer: whether its place is told, and is there.
func (p *mysqlProbe) consumer(c *mysql.ConsumerReading) {
	feature, needs := fmt.Sprintf("consumer %q", c.Name), "a place that is told, and that the server still has"
	if c.Err != nil {
		p.add(feature, needs, true, oneLine(c.Err))
		return
	}
	var said []string
	say := func(text string, args ...any) { said = append(said, fmt.Sprintf(text, args...)) }
	at := c.Note.Position
	switch {
	case at == nil && p.configured(c.Name).Placeless():
		say("it tells no place")
	case at == nil && c.Note.Which != "":
		say("%s", c.Note.Which)
	case at == nil:
		say("it has noted nothing down yet")
	default:
		say("%s, %s%s", placeOf(at), c.Distance.State, p.why(c))
	}
	if len(c.Note.Reported) > 0 {
		say("it reports %s", reportsOf(c.Note.Reported))
	}
	if at != nil && c.Note.Which != "" {
		say("taken: %s", c.Note.Which)
	}
	if c.Note.LeftOut != "" {
		say("left out: %s", c.Note.LeftOut)
	}
	switch by := p.configured(c.Name).Connect; {
	case c.Note.State == "missing" && by != nil:
		say("it is missing: Kafka Connect has no connector %q", by.Connector)
	case c.Note.State != "" && c.Note.State != "running":
		say("it is %s", c.Note.State)
	}
	if c.Note.Reason != "" {
		say("%s", c.Note.Reason)
	}
	if err := lineOf(c.Distance.Err); err != "" && !strings.Contains(strings.Join(said, " "), err[1:]) { // it may be why the state is unknown
		say("%s", err)
	}
	if c.ScanErr != nil && at != nil {
		say("its events are not read: %s", oneLine(c.ScanErr))
	}
	p.add(feature, needs, lost(c), strings.Join(said, "; "))
}

// why is what makes a place worth nothing, in the words of the command explain.
func (p *mysqlProbe) why(c *mysql.ConsumerReading) string {
	switch s := c.Distance.State; {
	case !s.Lost() && s != mysql.Unknown:
		return ""
	case p.read.Err != nil:
		return ", as the server could not be read"
	}
	return ": " + strings.TrimSuffix(binlogExplanation(p.mysqlServer, p.read, c).Why(), ".")
}

// lost says that something must be done about a consumer. A privilege that is missing stands with the server.
func lost(c *mysql.ConsumerReading) bool {
	switch s := c.Distance.State; {
	case s.Lost(), s == mysql.Unknown && c.Note.Position != nil:
		return true
	case c.Note.Position == nil && c.Note.Which != "": // what is noted down is not the consumer's: its name may be misspelt
		return true
	case c.Note.State == "failed", c.Note.State == "missing", c.Distance.Err != nil:
		return true
	}
	return c.ScanErr != nil && !errors.Is(c.ScanErr, mysql.ErrDenied)
}

// placeOf is a position in a few words.
func placeOf(p *mysql.Position) string {
	var parts []string
	if p.File != "" {
		parts = append(parts, fmt.Sprintf("%s:%d", p.File, p.Pos))
	}
	if p.GTIDs != "" {
		parts = append(parts, "with a GTID set")
	}
	if p.Snapshot != "" {
		parts = append(parts, "in a snapshot ("+p.Snapshot+")")
	}
	return strings.Join(parts, " ")
}

func reportsOf(reported []mysql.Reported) string {
	var names []string
	for _, r := range reported {
		names = append(names, r.Source)
	}
	return strings.Join(names, ", ")
}
