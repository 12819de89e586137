package binlog

// header is that of every event: 19 bytes.
type header struct {
	raw   [headerSize]byte
	at    uint32 // seconds of the Unix epoch; 0: made up for this stream
	code  byte   // of its type
	size  uint32 // with the header, and with a checksum
	end   uint32 // the position after it, as far as 32 bits tell; 0: not told
	flags uint16
}

const (
	headerSize   = 19
	checksumSize = 4

	flagArtificial = 0x20
	flagIgnorable  = 0x80
)

// The types that are looked into. See Log_event_type of both servers.
const (
	typeQuery       = 2
	typeRotate      = 4
	typeFormat      = 15
	typeLoad        = 18
	typeHeartbeat   = 27
	typeAnonymous   = 34
	typeHeartbeatV2 = 41
	typeEncryption  = 164
	typeCompressed  = 165
)

// eventType is a type by its code.
type eventType struct {
	name string
	kind kind
}

var eventTypes = map[byte]eventType{
	typeQuery:       {"Query", statement},
	3:               {"Stop", outside},
	typeRotate:      {"Rotate", outside},
	5:               {"Intvar", within},
	9:               {"Append_block", within}, // a file of LOAD DATA, which changes rows where it is executed
	11:              {"Delete_file", within},
	13:              {"RAND", within},
	14:              {"User var", within},
	typeFormat:      {"Format_desc", outside},
	16:              {"Xid", end},
	17:              {"Begin_load_query", within},
	typeLoad:        {"Execute_load_query", statement},
	19:              {"Table_map", table},
	20:              {"Write_rows_v0", rows},
	21:              {"Update_rows_v0", rows},
	22:              {"Delete_rows_v0", rows},
	23:              {"Write_rows_v1", rows},
	24:              {"Update_rows_v1", rows},
	25:              {"Delete_rows_v1", rows},
	26:              {"Incident", other},
	typeHeartbeat:   {"Heartbeat", outside},
	28:              {"Ignorable", within},
	29:              {"Rows_query", within},
	30:              {"Write_rows", rows},
	31:              {"Update_rows", rows},
	32:              {"Delete_rows", rows},
	33:              {"Gtid", named},
	typeAnonymous:   {"Anonymous_Gtid", named},
	35:              {"Previous_gtids", outside},
	36:              {"Transaction_context", within},
	37:              {"View_change", within},
	38:              {"XA_prepare", end},
	39:              {"Update_rows_partial", rows},
	40:              {"Transaction_payload", payload},
	typeHeartbeatV2: {"Heartbeat", outside},
	42:              {"Gtid_tagged", named},
	160:             {"Annotate_rows", annotation},
	161:             {"Binlog_checkpoint", outside},
	162:             {"Gtid", named},
	163:             {"Gtid_list", outside},
	typeEncryption:  {"Start_encryption", outside},
	typeCompressed:  {"Query_compressed", statement},
	166:             {"Write_rows_compressed_v1", rows},
	167:             {"Update_rows_compressed_v1", rows},
	168:             {"Delete_rows_compressed_v1", rows},
	169:             {"Write_compressed_rows", rows},
	170:             {"Update_compressed_rows", rows},
	171:             {"Delete_compressed_rows", rows},
}
