package web

// binlogState is what a state of a consumer's position means to people. What it says of one consumer more exactly stands with the
// consumer.
type binlogState struct {
	rank     state  // what has to be looked at first
	exit     int    // code of the command
	headline string // of the consumer's own page
	brief    string // in a list
}

// binlogStates are the states by their words in truelag_binlog_position_state. Those by which a consumer cannot go on have one rank and
// one code.
var binlogStates = map[string]binlogState{
	"caught_up":   {level, 0, "Caught up", "Caught up: nothing follows its place."},
	"ok":          {behind, 1, "Behind", "Behind."},
	"purged":      {broken, 4, "Lost its place", "Lost its place: what it would read next is purged."},
	"ahead":       {broken, 4, "Ahead of the server", "Its place is past the server's end: was the server reset, has it lost transactions, or is it another one?"},
	"foreign":     {broken, 4, "Another server's place", "Its place is in the files of another server."},
	"invalid":     {broken, 4, "No such place", "There cannot be an event at its place."},
	"snapshot":    {blocked, 1, "Takes a snapshot", "It takes a snapshot and reads no binlog meanwhile."},
	"no_position": {uncommitted, 3, "No place yet", "It has noted down no place yet."},
}

// binlogStateOf is what a state means; one that is not known is unknown.
func binlogStateOf(word string) binlogState {
	if s, ok := binlogStates[word]; ok {
		return s
	}
	return binlogState{unknown, 3, "Unknown", "Unknown."}
}

// BinlogExit is the exit code for what a position is worth: 0 caught up, 1 behind, or taking a snapshot, 4 the consumer cannot go on
// from there, 3 it cannot be said.
func BinlogExit(word string) int { return binlogStateOf(word).exit }
