package binlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

func isEnd(err error) bool { return errors.Is(err, io.EOF) }

// answer is what a server sends of a binlog from a place on, in packets. Real servers' answers are in testdata too: see
// TestRecordedStreams.
func answer(r *recording, file string, pos int64) *bytes.Reader {
	var b bytes.Buffer
	w := &packetWriter{w: &b}
	w.dump(r, file, pos)
	return bytes.NewReader(b.Bytes())
}

type packetWriter struct {
	w        io.Writer
	sequence byte
}

func (w *packetWriter) packet(b []byte) {
	for first := true; first || len(b) > 0; first = false {
		n := min(len(b), fullPacket)
		_, _ = w.w.Write([]byte{byte(n), byte(n >> 8), byte(n >> 16), w.sequence})
		_, _ = w.w.Write(b[:n])
		w.sequence++
		if b = b[n:]; n == fullPacket && len(b) == 0 {
			_, _ = w.w.Write([]byte{0, 0, 0, w.sequence})
		}
	}
}

func (w *packetWriter) event(e []byte) { w.packet(append([]byte{okByte}, e...)) }

func (w *packetWriter) fail(code uint16, message string) {
	w.packet(append(binary.LittleEndian.AppendUint16([]byte{errorByte}, code), "#HY000"+message...))
}

// rotation is the event with which a server says what file comes next.
func rotation(file string, pos int64, checksum bool) []byte {
	e := make([]byte, headerSize)
	e[4] = typeRotate
	binary.LittleEndian.PutUint16(e[17:], flagArtificial)
	e = binary.LittleEndian.AppendUint64(e, uint64(pos))
	e = append(e, file...)
	if checksum {
		e = append(e, 1, 2, 3, 4)
	}
	binary.LittleEndian.PutUint32(e[9:], uint32(len(e)))
	return e
}

// encryption is the event that follows the format in an encrypted file of MariaDB, sent ahead as that is.
func encryption(format []byte) []byte {
	e := bytes.Clone(format[:headerSize])
	e[4] = typeEncryption
	binary.LittleEndian.PutUint16(e[17:], flagIgnorable)
	e = append(e, make([]byte, 17+checksumSize)...) // scheme, version of the key, nonce
	binary.LittleEndian.PutUint32(e[9:], uint32(len(e)))
	return e
}

func (w *packetWriter) dump(r *recording, file string, pos int64) {
	begun := false
	for _, f := range r.files {
		if f.name != file && !begun {
			continue
		}
		at := int64(fileStart)
		from := at
		if !begun {
			from = pos
		}
		if from > f.size() {
			w.fail(errorBinlog, "Client requested master to start replication from position > file size")
			return
		}
		w.event(rotation(f.name, from, begun))
		begun = true
		for i, e := range f.events {
			if i == f.hole.before { // of size 0 where there is none
				if at < from && from < at+f.hole.size {
					w.fail(errorBinlog, "bogus data in log event; the first event '"+f.name+"'")
					return
				}
				at += f.hole.size
			}
			switch {
			case i == 0 && from > fileStart: // the file's format, sent ahead
				format := bytes.Clone(e)
				clear(format[13:17])
				w.event(format)
				if r.encrypted {
					w.event(encryption(format))
				}
			case at >= from:
				w.event(e)
			case at+int64(len(e)) > from:
				w.fail(errorBinlog, "bogus data in log event; the first event '"+f.name+"'")
				return
			}
			at += int64(len(e))
		}
	}
	if !begun {
		w.fail(errorBinlog, "Could not find first log file name in binary log index file")
		return
	}
	w.packet([]byte{endByte, 0, 0, 0, 0})
}
