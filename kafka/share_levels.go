package kafka

import (
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// shareIsolation is the key of a group's configuration that says which records its members are handed.
const shareIsolation = "share.isolation.level"

// shareLevels are the isolation levels of share groups, by group, from pass to pass.
type shareLevels map[string]shareLevel

// shareLevel is what a group's configuration says, or why it is not known.
type shareLevel struct {
	isolation Isolation
	err       error
	at        time.Time // when it was asked for; zero: it is to be asked for again at once
}

// shareLevelFor is how long a group's configuration is believed.
const shareLevelFor = 5 * time.Minute

// unsure lists the share groups whose configuration is to be asked for.
func (l shareLevels) unsure(s *Snapshot) (groups []*Group) {
	for i := range s.Groups {
		g := &s.Groups[i]
		if g.Share != nil && s.At.Sub(l[g.Name].at) >= shareLevelFor {
			groups = append(groups, g)
		}
	}
	return groups
}

// learn takes the answer about some groups.
func (l shareLevels) learn(r *reader, now time.Time, groups []*Group, resp *kmsg.DescribeConfigsResponse) {
	for _, g := range groups {
		l[g.Name] = shareLevel{err: errUnanswered, at: now}
	}
	for i := range resp.Resources {
		resource := &resp.Resources[i]
		level, ok := l[resource.ResourceName]
		if !ok || !errors.Is(level.err, errUnanswered) {
			continue
		}
		if level.err = r.rowError("DescribeConfigs", resource.ErrorCode); level.err == nil {
			level.isolation, level.err = isolationIn(resource.Configs)
		}
		l[resource.ResourceName] = level
	}
	for _, g := range groups {
		if errors.Is(l[g.Name].err, errUnanswered) {
			r.wire.books.failed("DescribeConfigs", errUnanswered)
		}
	}
}

// miss notes that no broker answered about some groups. What was known of them stays known.
func (l shareLevels) miss(groups []*Group, err error) {
	for _, g := range groups {
		if was, ok := l[g.Name]; !ok || was.err != nil {
			l[g.Name] = shareLevel{err: err}
		}
	}
}

// tell fills in what is known, and forgets groups that are gone.
func (l shareLevels) tell(s *Snapshot) {
	for i := range s.Groups {
		if g := &s.Groups[i]; g.Share != nil {
			level := l[g.Name]
			g.Share.Isolation, g.Share.IsolationErr = level.isolation, level.err
		}
	}
	for name := range l {
		if s.GroupsComplete && s.Group(name) == nil {
			delete(l, name)
		}
	}
}

var errNoLevel = errors.New("the broker tells no " + shareIsolation)

func isolationIn(configs []kmsg.DescribeConfigsResponseResourceConfig) (Isolation, error) {
	for _, c := range configs {
		if c.Name != shareIsolation || c.Value == nil {
			continue
		}
		for _, level := range []Isolation{ReadCommitted, ReadUncommitted} {
			if *c.Value == level.String() {
				return level, nil
			}
		}
	}
	return 0, errNoLevel
}
