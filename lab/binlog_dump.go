package lab

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
)

// dump is a connection that asks a server for its binlog as a replica does. It speaks just so much of the protocol, by itself:
// what is held against it uses a library.
type dump struct {
	conn net.Conn
	in   *bufio.Reader
	next byte // number of the next packet
}

// startDump asks for the events from a place up to the end, those that a replica need not get included.
func startDump(ctx context.Context, m *MySQL, file string, pos int64) (*dump, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", m.Address)
	if err != nil {
		return nil, err
	}
	d := &dump{conn: conn, in: bufio.NewReaderSize(conn, 1<<20)}
	if deadline, ok := ctx.Deadline(); ok {
		err = conn.SetDeadline(deadline)
	}
	if err == nil {
		err = d.login(Replicator, Password(Replicator))
	}
	const nonBlock, annotate = 1, 2
	settings, flags := "SET @master_binlog_checksum=@@global.binlog_checksum", uint16(nonBlock)
	if m.Options.MariaDB() {
		settings, flags = settings+", @mariadb_slave_capability=4", flags|annotate
	}
	if err == nil {
		err = d.query(settings)
	}
	if err == nil {
		const command, server = 0x12, 0 // no replica: one with an id would end another one that has it
		b := binary.LittleEndian.AppendUint32([]byte{command}, uint32(pos))
		b = binary.LittleEndian.AppendUint16(b, flags)
		b = binary.LittleEndian.AppendUint32(b, server)
		err = d.command(append(b, file...))
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("ask %s for its binlog: %w", m.name, err)
	}
	return d, nil
}

// event is the next event, header included; io.EOF after the last.
func (d *dump) event() ([]byte, error) {
	p, err := d.read()
	switch {
	case err != nil:
		return nil, err
	case p[0] == 0xfe && len(p) < 9:
		return nil, io.EOF
	case p[0] != 0 || len(p) < 20:
		return nil, fmt.Errorf("a packet of %d bytes that begins with %x is no event", len(p), p[0])
	}
	return p[1:], nil
}

// login answers the server's greeting as a client with mysql_native_password.
func (d *dump) login(user, password string) error {
	g, err := d.read()
	if err != nil {
		return err
	}
	_, rest, ok := bytes.Cut(g[1:], []byte{0}) // the server's version
	if !ok || len(rest) < 43 {
		return fmt.Errorf("a greeting of %d bytes", len(g))
	}
	scramble := append(bytes.Clone(rest[4:12]), rest[31:43]...)
	const plugin, longPassword, protocol41, secure, pluginAuth = "mysql_native_password", 1, 1 << 9, 1 << 15, 1 << 19
	b := binary.LittleEndian.AppendUint32(nil, longPassword|protocol41|secure|pluginAuth)
	b = binary.LittleEndian.AppendUint32(b, 1<<30)
	b = append(b, 33) // utf8
	b = append(b, make([]byte, 23)...)
	b = append(b, user+"\x00\x14"...)
	b = append(b, native(password, scramble)...)
	b = append(b, plugin+"\x00"...)
	if err := d.write(b); err != nil {
		return err
	}
	answer, err := d.read()
	if err == nil && answer[0] == 0xfe { // it wants that of another scramble
		name, again, _ := bytes.Cut(answer[1:], []byte{0})
		if string(name) != plugin || len(again) < 20 {
			return fmt.Errorf("the server wants a login by %s", name)
		}
		if err := d.write(native(password, again[:20])); err != nil {
			return err
		}
		_, err = d.read()
	}
	return err
}

func native(password string, scramble []byte) []byte {
	once := sha1.Sum([]byte(password))
	twice := sha1.Sum(once[:])
	mask := sha1.Sum(append(bytes.Clone(scramble), twice[:]...))
	for i := range mask {
		mask[i] ^= once[i]
	}
	return mask[:]
}

// query is one without rows.
func (d *dump) query(text string) error {
	if err := d.command(append([]byte{0x03}, text...)); err != nil {
		return err
	}
	_, err := d.read()
	return err
}

func (d *dump) command(b []byte) error {
	d.next = 0
	return d.write(b)
}

func (d *dump) write(b []byte) error {
	header := []byte{byte(len(b)), byte(len(b) >> 8), byte(len(b) >> 16), d.next}
	d.next++
	_, err := d.conn.Write(append(header, b...))
	return err
}

// read is the next packet, which is never empty.
func (d *dump) read() ([]byte, error) {
	var p []byte
	for {
		var header [4]byte
		if _, err := io.ReadFull(d.in, header[:]); err != nil {
			return nil, err
		}
		n := int(header[0]) | int(header[1])<<8 | int(header[2])<<16
		d.next = header[3] + 1
		from := len(p)
		p = append(p, make([]byte, n)...)
		if _, err := io.ReadFull(d.in, p[from:]); err != nil {
			return nil, err
		}
		if n < 1<<24-1 { // else it goes on in the next one
			break
		}
	}
	switch {
	case len(p) == 0:
		return nil, errors.New("an empty packet")
	case p[0] == 0xff && len(p) >= 3:
		return nil, fmt.Errorf("error %d: %s", binary.LittleEndian.Uint16(p[1:]), p[3:])
	}
	return p, nil
}
