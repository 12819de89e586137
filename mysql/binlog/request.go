package binlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"truelag/mysql"
)

// wrap is where positions begin anew in the headers of events, and past which COM_BINLOG_DUMP cannot ask.
const wrap = 1 << 32

// The commands.
const (
	commandDump      = 0x12 // COM_BINLOG_DUMP
	commandDumpGTIDs = 0x1e // COM_BINLOG_DUMP_GTID
)

// request is a command for a server to send its binlog from a place on.
type request struct {
	file   string
	pos    int64
	flags  uint16
	server uint32
}

// far tells whether the place is past what COM_BINLOG_DUMP can ask for. That of replicas that go by GTIDs can, on MySQL. It goes by
// the place where a file is named, and leaves out what is in a set, here in none.
func (r *request) far() bool { return r.pos >= wrap }

func (r *request) String() string {
	command := "COM_BINLOG_DUMP"
	if r.far() {
		command = "COM_BINLOG_DUMP_GTID"
	}
	return fmt.Sprintf("%s from %s:%d, not blocking", command, r.file, r.pos)
}

// packet is the command, with room for a packet's header.
func (r *request) packet() []byte {
	p := make([]byte, 4, 4+32+len(r.file))
	if !r.far() {
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
	const none = 8 // the length of a set of so many servers: 0
	p = binary.LittleEndian.AppendUint32(p, none)
	return append(p, make([]byte, none)...)
}

// farStop is where a scan is stopped then.
const farStop = "at 4 GiB of a file: past that only MySQL from 5.7 on sends events, with gtid_mode ON"

// errFar is that a server sends nothing from past 4 GiB.
var errFar = errors.New("it cannot be asked for")

// check is errFar where a server may not be asked. MySQL 5.6 leaves out the rest of a transaction without a word.
func (r *request) check(flavor mysql.Flavor, version string) error {
	if r.far() && (flavor != mysql.MySQL || strings.HasPrefix(version, "5.6.")) {
		return errFar
	}
	return nil
}

// refused tells whether a server refuses to send by that command, because of gtid_mode or of a transaction without a GTID.
func refused(err error) bool {
	var said *serverError
	return errors.Is(err, errFar) || errors.As(err, &said) && said.code == errorBinlog && strings.Contains(said.message, "AUTO_POSITION")
}
