// Package consumer reads what consumers of a MySQL or MariaDB binlog have noted down of their place: each kind, where that kind
// keeps it. Every one is a mysql.Consumer, made from a config struct, and reads nothing before Read is called.
//
// An error of Read is that the place could not be read; what else could be is in the note. What is wrong beside a place that was
// read, a member of it or the consumer's state, costs itself alone, and Note.LeftOut says so. No error or note shows a secret.
package consumer
