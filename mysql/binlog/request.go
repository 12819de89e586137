package binlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"truelag/mysql"
	"truelag/mysql/gtid"
)

// wrap is where positions begin anew in the headers of events, and past which COM_BINLOG_DUMP cannot ask.
const wrap = 1 << 32

// The commands.
const (
	commandDump      = 0x12 // COM_BINLOG_DUMP
	commandDumpGTIDs = 0x1e // COM_BINLOG_DUMP_GTID
)

// request is a command for a server to send its binlog from a place on, or what a set lacks.
type request struct {
	flavor mysql.Flavor
	file   string
	pos    int64
	set    gtid.Set // what it has is left out; empty: nothing
	flags  uint16
	server uint32
}

// far tells whether the place is past what COM_BINLOG_DUMP can ask for.
func (r *request) far() bool { return r.pos >= wrap }

// gtids tells whether the command is that of MySQL's replicas that go by GTIDs. It leaves out what is in a set, and begins with what
// that lacks; where a file is named, at the place all the same, which has eight bytes there.
func (r *request) gtids() bool { return r.flavor == mysql.MySQL && (r.far() || !r.set.IsEmpty()) }

func (r *request) String() string {
	command := "COM_BINLOG_DUMP"
	if r.gtids() {
		command = "COM_BINLOG_DUMP_GTID"
	}
	return command + " from " + r.place() + ", not blocking"
}

func (r *request) place() string {
	place := fmt.Sprintf("%s:%d", r.file, r.pos)
	switch {
	case r.file == "":
		return "the consumer's GTID set"
	case !r.set.IsEmpty():
		return "the consumer's GTID set, looked up from " + place + " on"
	}
	return place
}

// packet is the command, with room for a packet's header. encoded is the set as MySQL has it.
func (r *request) packet(encoded []byte) []byte {
	p := make([]byte, 4, 4+32+len(r.file)+len(encoded))
	if !r.gtids() {
		p = append(p, commandDump)
		p = binary.LittleEndian.AppendUint32(p, uint32(r.pos))
		p = binary.LittleEndian.AppendUint16(p, r.flags)
		p = binary.LittleEndian.AppendUint32(p, r.server)
		return append(p, r.file...)
	}
	p = append(p, commandDumpGTIDs)
	p = binary.LittleEndian.AppendUint16(p, r.flags)
	p = binary.LittleEndian.AppendUint32(p, r.server)
	p = binary.LittleEndian.AppendUint32(p, uint32(len(r.file)))
	p = append(p, r.file...)
	p = binary.LittleEndian.AppendUint64(p, uint64(r.pos))
	p = binary.LittleEndian.AppendUint32(p, uint32(len(encoded)))
	return append(p, encoded...)
}

// farStop is where a scan is stopped then.
const farStop = "at 4 GiB of a file: past that only MySQL from 5.7 on sends events, with gtid_mode ON"

// errFar is that a server sends nothing from past 4 GiB.
var errFar = errors.New("it cannot be asked for")

// errNear is that a server does not look for what a set lacks from a place on.
var errNear = errors.New("it looks from the beginning of a file on alone")

// check is an error where a server may not be asked. MySQL 5.6, asked by GTIDs for what comes from a place on, leaves out more than
// is in the set, without a word.
func (r *request) check(version string) error {
	old := strings.HasPrefix(version, "5.6.")
	switch {
	case r.far() && (r.flavor != mysql.MySQL || old):
		return errFar
	case old && r.file != "" && !r.set.IsEmpty():
		return errNear
	}
	return nil
}

// setup are the statements that come before the command.
func (r *request) setup() []string {
	all := []string{"SET @master_binlog_checksum = 'NONE', @source_binlog_checksum = 'NONE'"} // events come as they are in the file
	if r.flavor == mysql.MariaDB {
		all = append(all, "SET @mariadb_slave_capability = 4") // events of GTIDs come as such
	}
	switch {
	case r.set.IsEmpty():
	case r.flavor == mysql.MariaDB:
		all = append(all, "SET @slave_connect_state = '"+r.set.String()+"'")
	default: // else there is a heartbeat for each event that the set has
		const hour = "3600000000000"
		all = append(all, "SET @master_heartbeat_period = "+hour+", @source_heartbeat_period = "+hour)
	}
	return all
}

// refused tells whether a server refuses to send by that command, because of gtid_mode or of a transaction without a GTID.
func refused(err error) bool {
	var said *serverError
	return errors.Is(err, errFar) || errors.As(err, &said) && said.code == errorBinlog && strings.Contains(said.message, "AUTO_POSITION")
}
