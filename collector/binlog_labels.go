package collector

import (
	"math"
	"time"

	"truelag/exposition"
	"truelag/mysql"
)

// binlogRows is what is exported of one server, with the labels.
type binlogRows struct {
	servers   exposition.Chunk[binlogServerRow]
	features  exposition.Chunk[mysql.Feature]
	consumers exposition.Chunk[binlogConsumer]
	reported  exposition.Chunk[float64]
}

// binlogServerRow is a server as a whole.
type binlogServerRow struct {
	*mysql.Reading
	now time.Time
}

// binlogConsumer is a consumer of a binlog.
type binlogConsumer struct {
	*mysql.ConsumerReading
	now time.Time
}

func newBinlogRows(server string, r *mysql.Reading, now time.Time) *binlogRows {
	rows := &binlogRows{}
	put(&rows.servers, server, binlogServerRow{r, now})
	for _, f := range r.Features {
		if f.Name == mysql.FeatureScan && f.Err == nil && !r.Scanned() {
			continue
		}
		put(&rows.features, server+","+exposition.Label("feature", f.Name), f)
	}
	for i := range r.Consumers {
		c := &r.Consumers[i]
		label := server + "," + exposition.Label("consumer", c.Name)
		put(&rows.consumers, label, binlogConsumer{c, now})
		sources := names{}
		for _, told := range c.Note.Reported {
			if !math.IsNaN(told.Value) {
				put(&rows.reported, label+","+exposition.Label("source", sources.take(told.Source, "")), told.Value)
			}
		}
	}
	return rows
}

// last is the binlog's last file; nil where the files are not known, or there is none.
func (r *binlogServerRow) last() *mysql.File {
	if r.Inventory == nil || len(r.Inventory.Files) == 0 {
		return nil
	}
	return &r.Inventory.Files[len(r.Inventory.Files)-1]
}

// files are the binlog's files; false where they are not known.
func (r *binlogServerRow) files() ([]mysql.File, bool) {
	if r.Inventory == nil || r.Inventory.Files == nil {
		return nil, false
	}
	return r.Inventory.Files, true
}

// viewed is when the server was asked for what the rows are measured by; false where it has answered nothing.
func (r *binlogServerRow) viewed() (time.Time, bool) {
	inv := r.Inventory
	switch {
	case inv == nil:
		return time.Time{}, false
	case inv.Files != nil && !inv.FilesAt.IsZero():
		return inv.FilesAt, true
	}
	return inv.SetsAt, !inv.SetsAt.IsZero()
}
