//go:build e2e

package lab_test

import "fmt"

// step is what one session does.
func (w *binlogWriter) step() []string {
	switch w.random.IntN(23) {
	case 0, 1, 2, 3:
		return []string{w.change()}
	case 4, 5, 6:
		all := append([]string{"BEGIN"}, w.transaction()...)
		return append(all, w.one("COMMIT", "COMMIT", "COMMIT", "ROLLBACK"))
	case 7:
		return w.named()
	case 8:
		return w.xa()
	case 9, 10, 11, 12:
		return w.definition()
	case 13:
		return w.account()
	case 14:
		return w.care()
	case 15:
		return w.files()
	case 16:
		return w.settings()
	case 17:
		return w.load()
	case 18, 19, 20:
		return w.reshape()
	default:
		return []string{"INSERT INTO " + w.schema() + ".trig(v) VALUES ('a'),('b')", w.change()}
	}
}

// named are transactions with a GTID that somebody gave them.
func (w *binlogWriter) named() []string {
	all := append([]string{"BEGIN"}, w.transaction()...)
	all = append(all, "COMMIT")
	if w.m.Options.MariaDB() {
		return append([]string{"SET gtid_seq_no=cast(substring_index(@@gtid_binlog_pos,'-',-1) AS unsigned)+3"}, all...)
	}
	next := fmt.Sprintf("SET GTID_NEXT='%08d-0000-0000-0000-000000000000:%d'", w.random.IntN(4), 1+w.random.IntN(300))
	return append(append([]string{next}, all...), "SET GTID_NEXT=AUTOMATIC")
}

func (w *binlogWriter) xa() []string {
	if len(w.xids) > 0 && w.maybe(2) {
		x := w.xids[0]
		w.xids = w.xids[1:]
		return []string{"XA " + w.one("COMMIT", "ROLLBACK") + " " + x}
	}
	x := fmt.Sprintf("'x%d'", w.number())
	all := append([]string{"XA START " + x}, w.transaction()...)
	all = append(all, "XA END "+x)
	switch w.random.IntN(5) {
	case 0:
		return append(all, "XA COMMIT "+x+" ONE PHASE")
	case 1:
		return append(all, "XA PREPARE "+x, "XA COMMIT "+x)
	case 2:
		return append(all, "XA PREPARE "+x, "XA ROLLBACK "+x)
	case 3:
		return append(all, "XA ROLLBACK "+x)
	default:
		w.xids = append(w.xids, x)
		return append(all, "XA PREPARE "+x)
	}
}

func (w *binlogWriter) definition() []string {
	s, o, n := w.schema(), w.schema(), w.number()
	made := fmt.Sprintf("%s.`made %d`", s, n)
	switch w.random.IntN(14) {
	case 0:
		return []string{"CREATE TABLE " + made + "(a int, b json)", "ALTER TABLE " + made + " ADD c int", "INSERT INTO " + made + "(a) VALUES (1),(2)", "DROP TABLE " + made}
	case 1:
		return []string{"CREATE TABLE " + made + " SELECT * FROM " + o + ".t LIMIT 3", "TRUNCATE TABLE " + made, "DROP TABLE IF EXISTS " + made + ", " + o + ".nobody"}
	case 2:
		return []string{"CREATE TABLE " + made + " LIKE " + o + ".my", "RENAME TABLE " + made + " TO " + o + fmt.Sprintf(".`renamed %d`", n)}
	case 3:
		return []string{"CREATE TEMPORARY TABLE " + made + "(a int)", "INSERT INTO " + made + " VALUES (1)", "INSERT INTO " + s + ".t(n) SELECT a FROM " + made}
	case 4:
		return []string{"TRUNCATE TABLE " + w.table()}
	case 5:
		return []string{"CREATE OR REPLACE VIEW " + s + ".v AS SELECT * FROM " + o + ".t", "DROP VIEW " + s + ".v"}
	case 6:
		return []string{"CREATE PROCEDURE " + s + ".p() BEGIN INSERT INTO " + s + ".t(n) VALUES (1); INSERT INTO " + o + ".my(n) VALUES (2); END", "CALL " + s + ".p()", "DROP PROCEDURE " + s + ".p"}
	case 7:
		return []string{"CREATE FUNCTION " + s + ".f() RETURNS int DETERMINISTIC MODIFIES SQL DATA BEGIN INSERT INTO " + o + ".t(n) VALUES (5); RETURN 1; END", "SELECT " + s + ".f()", "DROP FUNCTION " + s + ".f"}
	case 8:
		return []string{"CREATE DATABASE `new.one`", "CREATE TABLE `new.one`.a(a int) ENGINE=MyISAM", "CREATE TABLE `new.one`.b(a int)", "INSERT INTO `new.one`.a VALUES (1)", "DROP TABLE `new.one`.a, `new.one`.b", "DROP DATABASE `new.one`"}
	case 9:
		return []string{"CREATE INDEX i ON " + s + ".t(n)", "DROP INDEX i ON " + s + ".t", "ALTER DATABASE " + s + " CHARACTER SET utf8"}
	case 10:
		return []string{"CREATE TABLE " + made + "(a int)", "CREATE TABLE " + made[:len(made)-1] + "b`(a int) ENGINE=MyISAM", "DROP TABLE " + made + ", " + made[:len(made)-1] + "b`"}
	case 11:
		return []string{"CREATE OR REPLACE TABLE " + made + " SELECT 1 AS a", "CREATE SEQUENCE " + s + ".seq", "SELECT NEXTVAL(" + s + ".seq)", "DROP SEQUENCE " + s + ".seq", "DROP TABLE " + made}
	case 12:
		return []string{"CREATE TEMPORARY TABLE " + s + ".tmp(a int)", "CREATE TEMPORARY TABLE " + o + ".tmp2(a int) ENGINE=MyISAM", "INSERT INTO " + o + ".tmp2 VALUES (1)"}
	default:
		return []string{"/* a comment */ ALTER TABLE " + w.table() + " COMMENT 'x'", "/*!50000 ALTER TABLE " + s + ".t COMMENT 'y' */", "CREATE EVENT " + s + ".e ON SCHEDULE EVERY 1 YEAR DO SELECT 1", "DROP EVENT " + s + ".e"}
	}
}

func (w *binlogWriter) account() []string {
	u := fmt.Sprintf("u%d@'%%'", w.number())
	if w.maybe(2) {
		return []string{w.one("CREATE ROLE r", "DROP ROLE r", "SET PASSWORD FOR root@localhost=''", "CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST 'h', DATABASE 'd')", "DROP SERVER s",
			"CREATE TABLESPACE ts ADD DATAFILE 'ts.ibd'", "DROP TABLESPACE ts", "ALTER USER root@localhost ACCOUNT UNLOCK", "RENAME USER u1@'%' TO u2@'%'", "CREATE SPATIAL REFERENCE SYSTEM 990001 NAME 'x' DEFINITION ''", "INSTALL COMPONENT 'file://component_log_sink_json'", "UNINSTALL COMPONENT 'file://component_log_sink_json'")}
	}
	return []string{"CREATE USER " + u + " IDENTIFIED BY 'x'", "GRANT SELECT ON " + w.schema() + ".* TO " + u, "REVOKE ALL, GRANT OPTION FROM " + u, "DROP USER " + u}[:1+w.random.IntN(4)]
}

func (w *binlogWriter) care() []string {
	return []string{w.one("", "/* by hand */ ") + w.one("ANALYZE TABLE "+w.table(), "OPTIMIZE TABLE "+w.schema()+".my", "REPAIR TABLE "+w.schema()+".my", "FLUSH TABLES", "FLUSH PRIVILEGES", "FLUSH STATUS",
		"ANALYZE TABLE "+w.schema()+".t UPDATE HISTOGRAM ON n", "CHECK TABLE "+w.schema()+".t", "CACHE INDEX "+w.schema()+".my IN default")}
}

func (w *binlogWriter) files() []string {
	return []string{w.one("FLUSH BINARY LOGS", "FLUSH LOGS", "SET GLOBAL max_binlog_size=4096", "SET GLOBAL max_binlog_size=20000", "SET GLOBAL binlog_checksum=NONE", "SET GLOBAL binlog_checksum=CRC32")}
}

func (w *binlogWriter) settings() []string {
	if w.maybe(2) {
		return w.either([]string{"BEGIN", "SELECT 1", "COMMIT"}, []string{"BEGIN", "UPDATE " + w.schema() + ".t SET n=n", "COMMIT"}, w.empty())
	}
	return []string{w.one("SET GLOBAL log_bin_compress=ON", "SET GLOBAL log_bin_compress=OFF", "SET GLOBAL log_bin_compress_min_len=10", "SET GLOBAL binlog_row_metadata=FULL", "SET GLOBAL binlog_row_metadata=MINIMAL",
		"SET GLOBAL binlog_checksum=NONE", "SET GLOBAL binlog_checksum=CRC32")}
}

func (w *binlogWriter) either(of ...[]string) []string { return of[w.random.IntN(len(of))] }

func (w *binlogWriter) empty() []string {
	if w.m.Options.MariaDB() {
		return []string{"BEGIN", "DELETE FROM " + w.schema() + ".my WHERE n<0", "COMMIT"}
	}
	return []string{fmt.Sprintf("SET GTID_NEXT='00000009-0000-0000-0000-000000000000:%d'", 1+w.random.IntN(300)), "BEGIN", "COMMIT", "SET GTID_NEXT=AUTOMATIC"}
}

func (w *binlogWriter) load() []string {
	load := "LOAD DATA LOCAL INFILE 'Reader::rows' INTO TABLE " + w.schema() + "." + w.one("t", "my", "trig") + "(v)"
	return w.either([]string{load}, []string{"SET binlog_format=STATEMENT", load}, []string{"SET binlog_format=STATEMENT", "BEGIN", w.change(), load, w.change(), "COMMIT"})
}
