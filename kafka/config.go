package kafka

import (
	"regexp"
	"time"
)

// Config is what a Cluster needs to know.
type Config struct {
	Name      string // which cluster this is; empty where there is only one
	Client    ClientConfig
	Groups    Filter
	Topics    Filter
	Isolation []IsolationRule // the first that matches a group holds
	Scan      ScanConfig
	Follow    bool  // see each commit as it is made, not only what a scrape finds: Run reads __consumer_offsets
	Shard     Shard // the part of the groups and topics that is read; the zero value is all
}

// Filter chooses names. Expressions match anywhere in a name unless they are anchored: the configuration anchors them.
type Filter struct {
	Include []*regexp.Regexp // empty: every name
	Exclude []*regexp.Regexp // wins over Include
	shard   Shard            // of the names that are left
}

// Match says whether the filter lets a name through.
func (f Filter) Match(name string) bool {
	return f.shard.Owns(name) && (len(f.Include) == 0 || matchAny(f.Include, name)) && !matchAny(f.Exclude, name)
}

func matchAny(res []*regexp.Regexp, name string) bool {
	for _, re := range res {
		if re.MatchString(name) {
			return true
		}
	}
	return false
}

// IsolationRule says which isolation.level the consumers of some groups are known to use.
type IsolationRule struct {
	Groups    *regexp.Regexp
	Isolation Isolation
}

// ScanConfig bounds the reading of batch headers at the logs' tails. Without it every offset is unscanned.
type ScanConfig struct {
	Enabled           bool
	BytesPerScrape    int64         // record bytes fetched in one scrape at the most, give or take one answer for each broker
	BytesPerPartition int64         // the same for one partition
	Recheck           time.Duration // when the tail of a compacted topic is read again, up to 16 times as long where that changes nothing; 0: never
	MaxRuns           int           // runs of offsets (16 bytes each) and times of batches (32) that the index holds at the most, give or take a scrape
}
