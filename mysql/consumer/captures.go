package consumer

import (
	"context"

	"truelag/mysql"
)

// WithCaptures adds to a consumer's note what it reads: schemas, and tables as schema.table. None: all, or nobody knows.
func WithCaptures(place mysql.Consumer, captures ...string) mysql.Consumer {
	if len(captures) == 0 {
		return place
	}
	return &capturing{place, captures}
}

type capturing struct {
	mysql.Consumer
	captures []string
}

func (c *capturing) Read(ctx context.Context) (mysql.Note, error) {
	note, err := c.Consumer.Read(ctx)
	note.Captures = c.captures
	return note, err
}
