//go:build e2e

package lab_test

import (
	"fmt"
	"strings"
)

// reshape is what happens to tables as a whole, and what reaches them by another name than their own.
func (w *binlogWriter) reshape() []string {
	if w.m.Options.MariaDB() && w.maybe(3) {
		return w.reshapeMariaDB()
	}
	s, o, n := w.schema(), w.schema(), w.number()
	made, plain := fmt.Sprintf("%s.`made %d`", s, n), fmt.Sprintf("%s.`plain %d`", o, n)
	parts := "CREATE TABLE " + made + "(a int, b int) PARTITION BY RANGE(a)(PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20), PARTITION p2 VALUES LESS THAN MAXVALUE)"
	switch w.random.IntN(13) {
	case 0:
		return []string{parts, "CREATE TABLE " + plain + "(a int, b int)", "INSERT INTO " + plain + " VALUES (1,1),(2,2)", "ALTER TABLE " + made + " EXCHANGE PARTITION p0 WITH TABLE " + plain, "DROP TABLE " + made}
	case 1:
		return []string{parts, "INSERT INTO " + made + " VALUES (1,1),(11,2),(21,3)", "ALTER TABLE " + made + " TRUNCATE PARTITION p0", "UPDATE " + made + " SET a=a+10 WHERE a<20", "ALTER TABLE " + made + " DROP PARTITION p1",
			"ALTER TABLE " + made + " REORGANIZE PARTITION p2 INTO (PARTITION p3 VALUES LESS THAN (100), PARTITION p4 VALUES LESS THAN MAXVALUE)", "ALTER TABLE " + made + " ANALYZE PARTITION p3", "ALTER TABLE " + made + " REMOVE PARTITIONING"}
	case 2:
		return []string{"CREATE TABLE " + made + "(a int) ENGINE=MyISAM", "ALTER TABLE " + made + " ADD b int, ALGORITHM=COPY", "ALTER TABLE " + made + " ENGINE=InnoDB, ALGORITHM=COPY", "ALTER TABLE " + made + " ADD c int, ALGORITHM=INPLACE", "ALTER TABLE " + made + " ORDER BY a",
			"ALTER TABLE " + made + " DISABLE KEYS", "ALTER TABLE " + made + " FORCE"}
	case 3:
		return []string{"CREATE TABLE " + made + "(a int)", "ALTER TABLE " + made + " RENAME TO " + plain, "INSERT INTO " + plain + " VALUES (1)"}
	case 4:
		return []string{"CREATE TABLE " + made + "(a int)", "CREATE TABLE " + plain + "(b int)", "RENAME TABLE " + made + " TO " + o + fmt.Sprintf(".`swap %d`", n) + ", " + plain + " TO " + made, "DROP TABLE " + made}
	case 5:
		return []string{"LOCK TABLES " + s + ".t WRITE, " + s + ".my WRITE", "INSERT INTO " + s + ".t(v) VALUES ('locked')", "INSERT INTO " + s + ".my(v) VALUES ('locked')", "ALTER TABLE " + s + ".t COMMENT 'locked'", "UNLOCK TABLES"}
	case 6:
		v := fmt.Sprintf("%s.`view %d`", s, n)
		return []string{"CREATE VIEW " + v + " AS SELECT * FROM " + o + ".t", "INSERT INTO " + v + "(n,v) VALUES (1,'by a view')", "UPDATE " + v + " SET n=n+1 ORDER BY id LIMIT 2", "ALTER VIEW " + v + " AS SELECT 1 AS a", "DROP VIEW " + v}
	case 7:
		parent := fmt.Sprintf("%s.`parent %d`", s, n)
		return []string{"CREATE TABLE " + parent + "(a int PRIMARY KEY) ENGINE=InnoDB", "CREATE TABLE " + plain + "(b int, FOREIGN KEY (b) REFERENCES " + parent + "(a) ON DELETE CASCADE ON UPDATE CASCADE) ENGINE=InnoDB",
			"INSERT INTO " + parent + " VALUES (1),(2)", "INSERT INTO " + plain + " VALUES (1),(1),(2)", "UPDATE " + parent + " SET a=5 WHERE a=1", "DELETE FROM " + parent}
	case 8:
		names := []string{s + ".nobody"}
		for i := range 20 { // more schemas than a server notes down
			names = append(names, fmt.Sprintf("none%d.nobody", i))
		}
		return []string{"DROP TABLE IF EXISTS " + strings.Join(names, ", ")}
	case 9:
		columns := make([]string, 150)
		for i := range columns {
			columns[i] = fmt.Sprintf("a_long_name_of_a_column_%d enum('one','two','three')", i)
		}
		return []string{"CREATE TABLE " + made + "(" + strings.Join(columns, ",") + ") DEFAULT CHARSET=utf8", "INSERT INTO " + made + "() VALUES (),(),()", "UPDATE " + made + " SET a_long_name_of_a_column_7='two' LIMIT 2", "DELETE FROM " + made}
	case 10:
		return []string{"CREATE TABLE " + made + "(a int PRIMARY KEY, j json) ENGINE=InnoDB", "INSERT INTO " + made + " VALUES (1,concat('{\"a\":1,\"b\":\"',repeat('x',500),'\"}')),(2,'{\"a\":2}')",
			"UPDATE " + made + " SET j=JSON_SET(j,'$.a',7)", "UPDATE " + made + " SET j=JSON_REMOVE(j,'$.a') WHERE a=1"}
	case 11:
		return []string{"PREPARE p FROM 'INSERT INTO " + strings.ReplaceAll(s, "'", "''") + ".t(n,v) VALUES (?,?)'", "SET @a=5, @b='prepared'", "EXECUTE p USING @a, @b", "DEALLOCATE PREPARE p"}
	default:
		return []string{"SET insert_id=100000+" + fmt.Sprint(n), "INSERT INTO " + s + ".my(n,v) VALUES (last_insert_id(),'an id')", "INSERT IGNORE INTO " + s + ".t(id,n) VALUES (1,1),(2,2)", "DELETE FROM " + s + ".my WHERE id>100000",
			"INSERT INTO " + s + ".t(n,v) SELECT n,v FROM " + s + ".t ORDER BY rand() LIMIT 2"}
	}
}

// reshapeMariaDB is what MariaDB alone knows.
func (w *binlogWriter) reshapeMariaDB() []string {
	s, o, n := w.schema(), w.schema(), w.number()
	made := fmt.Sprintf("%s.`made %d`", s, n)
	switch w.random.IntN(5) {
	case 0:
		return []string{"SET binlog_alter_two_phase=1", "CREATE TABLE " + made + "(a int)", "INSERT INTO " + made + " VALUES (1)", "ALTER TABLE " + made + " ADD b int", "ALTER TABLE " + made + " ADD UNIQUE (b), ADD c int, ALGORITHM=COPY",
			"ALTER TABLE " + made + " ADD PRIMARY KEY (b)", "ALTER TABLE " + s + ".t COMMENT 'in two phases'"}
	case 1:
		return []string{"CREATE TABLE " + made + "(a int) WITH SYSTEM VERSIONING", "INSERT INTO " + made + " VALUES (1),(2)", "UPDATE " + made + " SET a=a+1", "DELETE HISTORY FROM " + made, "DROP TABLE " + made}
	case 2:
		return []string{"CREATE TABLE " + made + "(a int) PARTITION BY RANGE(a)(PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN MAXVALUE)", "INSERT INTO " + made + " VALUES (1),(11)",
			"ALTER TABLE " + made + " CONVERT PARTITION p0 TO TABLE " + o + fmt.Sprintf(".`apart %d`", n)}
	case 3:
		return []string{"SET sql_mode=ORACLE", "CREATE OR REPLACE PACKAGE " + s + ".pack AS PROCEDURE p(); END", "CREATE OR REPLACE PACKAGE BODY " + s + ".pack AS PROCEDURE p() AS BEGIN INSERT INTO " + o + ".t(n) VALUES (3); END; END", "CALL " + s + ".pack.p()", "DROP PACKAGE " + s + ".pack"}
	default:
		return []string{"SET STATEMENT max_statement_time=100 FOR INSERT INTO " + s + ".t(n) VALUES (1)", "INSERT INTO " + s + ".t(n) VALUES (2) RETURNING id", "CREATE SEQUENCE " + made + " CACHE 2", "SELECT NEXTVAL(" + made + "), NEXTVAL(" + made + "), NEXTVAL(" + made + ")",
			"ALTER SEQUENCE " + made + " RESTART 5", "SELECT SETVAL(" + made + ",9)"}
	}
}

// locale is how a session may be set up, of which statements note something down before their schemas.
func (w *binlogWriter) locale() string {
	return "SET SESSION " + w.one("time_zone='+05:30'", "lc_time_names='de_DE'", "auto_increment_increment=3, auto_increment_offset=2", "sql_mode='ANSI_QUOTES'", "sql_mode=''", "foreign_key_checks=0, unique_checks=0",
		"collation_connection=latin1_swedish_ci", "character_set_database=latin1", "sql_auto_is_null=1", "completion_type=CHAIN")
}
