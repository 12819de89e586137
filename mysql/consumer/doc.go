// Package consumer reads what consumers of a MySQL or MariaDB binlog have noted down of their place: each kind, where that kind
// keeps it. Every one is a mysql.Consumer, made from a config struct, and reads nothing before Read is called.
//
// An error of Read may come with a note: what could be read of it is there, and the error says what could not be. No error or
// note shows a secret.
package consumer
