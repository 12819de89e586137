package kafka

import "errors"

// BatchFault is why a batch's records could not be read.
type BatchFault uint8

// The faults of batches.
const (
	OldFormat      BatchFault = iota // message format 0 or 1, whose headers do not tell what a compressed one holds
	Corrupt                          // a header, a checksum or a record makes no sense
	BadCompression                   // a codec that is not known, or bytes that are not of their codec
	TooLarge                         // above 64 MiB, as it stands or decompressed, or too many records among holes
	batchFaults
)

// BatchFaults lists every fault in the order of their values.
func BatchFaults() []BatchFault { return []BatchFault{OldFormat, Corrupt, BadCompression, TooLarge} }

func (f BatchFault) String() string {
	return [batchFaults]string{"old_format", "corrupt", "compression", "too_large"}[f]
}

var (
	// errCorrupt says that bytes are not a log, or not the batch that they should be.
	errCorrupt = errors.New("not a record batch")
	// errOld is the error of a batch that is one message of the formats 0 and 1.
	errOld = errors.New("an old message format")
	// errLarge is the error of a batch that holds more than is read of one.
	errLarge = errors.New("more than is read of one batch")
	// errLater is the error of a batch that was not decoded because the scrape has decoded enough.
	errLater = errors.New("enough was decoded in this scrape")
)

// faultOf is what an error says of a batch; false when it says nothing.
func faultOf(err error) (BatchFault, bool) {
	switch {
	case err == nil, errors.Is(err, errCut), errors.Is(err, errLater):
		return 0, false
	case errors.Is(err, errOld):
		return OldFormat, true
	case errors.Is(err, errCorrupt):
		return Corrupt, true
	case errors.Is(err, errLarge):
		return TooLarge, true
	}
	return BadCompression, true
}
