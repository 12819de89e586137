package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
)

func TestFailureNames(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{kerr.TopicAuthorizationFailed, "TOPIC_AUTHORIZATION_FAILED"},
		{kerr.ErrorForCode(31000), "UNKNOWN_SERVER_ERROR"},
		{kerr.SaslAuthenticationFailed, "SASL_AUTHENTICATION_FAILED"},
		{context.DeadlineExceeded, "timeout"},
		{os.ErrDeadlineExceeded, "timeout"},
		{&net.OpError{Op: "dial", Err: &net.DNSError{IsTimeout: true}}, "timeout"},
		{&net.OpError{Op: "dial", Err: errors.New("refused")}, "connection"},
		{io.EOF, "connection"},
		{errUnsupported, "unsupported"},
		{errUnanswered, "unanswered"},
		{errInvalidOffset, "INVALID_OFFSET"},
	} {
		for _, err := range []error{c.err, fmt.Errorf("ListOffsets at broker 1: %w", c.err)} {
			if got := failureName(err); got != c.want {
				t.Errorf("%v: got %s, want %s", err, got, c.want)
			}
		}
	}
}

// increase() misses the first of a counter that was not there before.
func TestUsualErrorsAreCountedFromTheStart(t *testing.T) {
	l := newBooks().snapshot()
	for _, f := range []Failure{
		{"Metadata", "LEADER_NOT_AVAILABLE"},
		{"Metadata", "TOPIC_AUTHORIZATION_FAILED"},
		{"ListGroups", "COORDINATOR_LOAD_IN_PROGRESS"},
		{"ListOffsets", "NOT_LEADER_FOR_PARTITION"},
		{"ListOffsets", "timeout"},
		{"OffsetFetch", "NOT_COORDINATOR"},
		{"OffsetFetch", "GROUP_AUTHORIZATION_FAILED"},
		{"OffsetFetch", "INVALID_OFFSET"},
		{"DescribeGroups", "connection"},
		{"ConsumerGroupDescribe", "TOPIC_AUTHORIZATION_FAILED"},
		{"ShareGroupDescribe", "unsupported"},
		{"Fetch", "TOPIC_AUTHORIZATION_FAILED"},
	} {
		if n, ok := l.Errors[f]; !ok || n != 0 {
			t.Errorf("%v: %d, %v", f, n, ok)
		}
		if n, ok := l.Requests[f.API]; !ok || n != 0 {
			t.Errorf("%s: %d, %v", f.API, n, ok)
		}
	}
}

func TestLedgerIsACopy(t *testing.T) {
	b := newBooks()
	before := b.snapshot()
	b.sent("ListGroups")
	b.failed("ListGroups", io.EOF)
	b.scanned(1, 100)
	after := b.snapshot()
	if before.Requests["ListGroups"] != 0 || before.Errors[Failure{"ListGroups", "connection"}] != 0 {
		t.Error("an older ledger changed")
	}
	if after.Requests["ListGroups"] != 1 || after.Errors[Failure{"ListGroups", "connection"}] != 1 || after.ScanFetches != 1 || after.ScanBytes != 100 {
		t.Errorf("got %+v", after)
	}
}
