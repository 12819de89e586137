package binlog

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// packets reads a server's answer to a dump: each event is in a packet, or in several that are full.
type packets struct {
	in   *bufio.Reader
	left int  // of the packet that is being read
	more bool // it goes on in the next one

	got, limit int64 // bytes
}

// errLimit is that as much was read as may be.
var errLimit = errors.New("the limit of bytes is reached")

const (
	fullPacket = 1<<24 - 1
	okByte     = 0x00
	endByte    = 0xfe
	errorByte  = 0xff

	longestMessage = 1 << 10
)

// next steps to the next event, past what is left of the one before. io.EOF is the end of the stream, and a *serverError what
// the server has against it.
func (p *packets) next() error {
	if _, err := io.Copy(io.Discard, p); err != nil {
		return err
	}
	if err := p.header(); err != nil {
		return err
	}
	whole := p.left
	if whole == 0 {
		return errors.New("an empty packet in the binlog")
	}
	first, err := p.in.ReadByte()
	if err != nil {
		return cut(err)
	}
	p.left--
	p.got++
	switch {
	case first == okByte:
		return nil
	case first == endByte && whole < 9:
		return io.EOF
	case first == errorByte:
		return p.failure()
	}
	return fmt.Errorf("a packet of the binlog begins with %#02x", first)
}

func (p *packets) header() error {
	var b [4]byte
	if _, err := io.ReadFull(p.in, b[:]); err != nil {
		return cut(err)
	}
	p.got += int64(len(b))
	if p.got > p.limit {
		return errLimit
	}
	p.left = int(b[0]) | int(b[1])<<8 | int(b[2])<<16
	p.more = p.left == fullPacket
	return nil
}

// Read reads what the event holds, and io.EOF at its end.
func (p *packets) Read(b []byte) (int, error) {
	if p.got > p.limit {
		return 0, errLimit
	}
	for p.left == 0 {
		if !p.more {
			return 0, io.EOF
		}
		if err := p.header(); err != nil {
			return 0, err
		}
	}
	n, err := p.in.Read(b[:min(len(b), p.left)])
	p.left -= n
	p.got += int64(n)
	return n, cut(err)
}

// cut is the error of a stream that ends in the middle.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// serverError is what a server answers instead of events.
type serverError struct {
	code    uint16
	message string
}

func (e *serverError) Error() string { return fmt.Sprintf("error %d: %s", e.code, e.message) }

func (p *packets) failure() error {
	b := make([]byte, longestMessage)
	n, err := io.ReadFull(p, b)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) || n < 2 {
		return cut(err)
	}
	text := string(b[2:n])
	if strings.HasPrefix(text, "#") && len(text) > 6 { // and the five letters of the SQL state
		text = text[6:]
	}
	return &serverError{binary.LittleEndian.Uint16(b), strings.ToValidUTF8(text, "")}
}
