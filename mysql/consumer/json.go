package consumer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// parseJSON is json.Unmarshal with errors for whoever wrote the JSON: they name no types of this program.
func parseJSON(raw []byte, into any) error {
	err := json.Unmarshal(raw, into)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		where := ""
		if wrong.Field != "" {
			where = " for " + wrong.Field
		}
		kind, _, _ := strings.Cut(wrong.Value, " ") // a number comes with its digits
		return fmt.Errorf("%s where something else is due%s, at byte %d", kind, where, wrong.Offset)
	}
	return err
}
