package main

import (
	"fmt"

	"truelag/kafka"
)

// A finding is a sentence, also where what a server has told ends as one.
func Example_report() {
	fmt.Println(report("MySQL", "mysql", []kafka.Finding{
		{Feature: "scan", Needs: "REPLICATION SLAVE", Found: "it works"},
		{Feature: "server", Needs: "a user that may log in", Found: "Your password has expired.", Lacking: true},
	}))
	// Output:
	// MySQL:
	//   ok     scan (REPLICATION SLAVE): it works.
	//   LACKS  server (a user that may log in): Your password has expired.
	// mysql: something is lacking for 1 of 2 features, see above
}
