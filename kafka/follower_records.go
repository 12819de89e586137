package kafka

import (
	"encoding/binary"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// CommitRecordKind says what a record of __consumer_offsets is.
type CommitRecordKind uint8

// The kinds of records.
const (
	CommitRecord      CommitRecordKind = iota // an offset commit, also one in a transaction that is aborted later
	TombstoneRecord                           // the commit expired, or was deleted with its group or topic
	MetadataRecord                            // members and assignment of a classic group
	OtherRecord                               // of a newer group protocol, or a transaction marker
	UndecodableRecord                         // cut, or of a version that is not known
	commitRecordKinds
)

// CommitRecordKinds lists every kind in the order of their values.
func CommitRecordKinds() []CommitRecordKind {
	return []CommitRecordKind{CommitRecord, TombstoneRecord, MetadataRecord, OtherRecord, UndecodableRecord}
}

func (k CommitRecordKind) String() string {
	return [commitRecordKinds]string{"offset_commit", "tombstone", "group_metadata", "other", "undecodable"}[k]
}

// Versions of the records' keys and values. Newer values may have tagged fields, which are skipped, but no new version.
const (
	newestCommitKey   = 1
	groupMetadataKey  = 2
	newestCommitValue = 4
)

// seenCommit is an offset commit as a record tells it, or the forgetting of one.
type seenCommit struct {
	group, topic string
	partition    int32
	gone         bool // a tombstone: nothing is committed any more
	offset       int64
	time         int64   // of the commit, in milliseconds since 1970
	id           TopicID // zero before Kafka 4.1
	at           int64   // the record's own offset
}

// readCommitKey tells the kind of a record from its key, and whose commit it is. The strings share the key's bytes, so
// that a record of a group that is left out costs no allocation. An error says what is wrong with an undecodable one.
func readCommitKey(key []byte, c *seenCommit) (CommitRecordKind, error) {
	if len(key) < 2 {
		return UndecodableRecord, fmt.Errorf("key of %d bytes", len(key))
	}
	switch version := int16(binary.BigEndian.Uint16(key)); {
	case version < 0:
		return UndecodableRecord, fmt.Errorf("key version %d", version)
	case version == groupMetadataKey:
		return MetadataRecord, nil
	case version > newestCommitKey:
		return OtherRecord, nil
	}
	var k kmsg.OffsetCommitKey
	if err := k.UnsafeReadFrom(key); err != nil || k.Partition < 0 {
		return UndecodableRecord, fmt.Errorf("a commit's key is cut, or names partition %d", k.Partition)
	}
	c.group, c.topic, c.partition = k.Group, k.Topic, k.Partition
	return CommitRecord, nil
}

// readCommitValue reads what was committed. A nil value is a tombstone.
func readCommitValue(value []byte, c *seenCommit) (CommitRecordKind, error) {
	if value == nil {
		c.gone = true
		return TombstoneRecord, nil
	}
	if len(value) < 2 {
		return UndecodableRecord, fmt.Errorf("value of %d bytes", len(value))
	}
	if version := int16(binary.BigEndian.Uint16(value)); version < 0 || version > newestCommitValue {
		return UndecodableRecord, fmt.Errorf("value version %d", version)
	}
	var v kmsg.OffsetCommitValue
	if err := v.UnsafeReadFrom(value); err != nil || v.Offset < 0 {
		return UndecodableRecord, fmt.Errorf("a commit's value is cut, or commits offset %d", v.Offset)
	}
	c.offset, c.time, c.id = v.Offset, v.CommitTimestamp, v.TopicID
	return CommitRecord, nil
}

// verdict is what a transaction marker says.
type verdict uint8

const (
	noVerdict verdict = iota // another control record
	isAborted
	isCommitted
)

// readMarker reads a control record's key: version 0, type 0 for an abort, 1 for a commit.
func readMarker(key []byte) verdict {
	if len(key) < 4 || binary.BigEndian.Uint16(key) != 0 {
		return noVerdict
	}
	switch binary.BigEndian.Uint16(key[2:]) {
	case 0:
		return isAborted
	case 1:
		return isCommitted
	}
	return noVerdict
}
