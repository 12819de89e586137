package collector

import (
	"truelag/exposition"
	"truelag/mysql"
)

func binlogServerFamilies() []exposition.Family[binlogServerRow] {
	labels := []string{"server"}
	of := func(name string, kind exposition.Type, help string, value func(*binlogServerRow) (float64, bool)) exposition.Family[binlogServerRow] {
		return exposition.Family[binlogServerRow]{
			Desc: exposition.Desc{Name: name, Type: kind, Labels: labels, Help: help}, Series: single(value),
		}
	}
	return []exposition.Family[binlogServerRow]{
		of("truelag_mysql_up", exposition.Gauge, "1 when the last round could read something of the MySQL or MariaDB server, 0 when it could not.",
			func(r *binlogServerRow) (float64, bool) { return truth(r.Err == nil), true }),
		of("truelag_binlog_file_number", exposition.Gauge, "Number in the name of the server's last binlog file. Absent when the files are not known, there is none, or their names have no numbers.",
			func(r *binlogServerRow) (float64, bool) {
				last := r.last()
				if last == nil {
					return 0, false
				}
				name, ok := mysql.ParseFileName(last.Name)
				n, fits := name.Number()
				return float64(n), ok && fits
			}),
		of("truelag_binlog_position_bytes", exposition.Gauge, "Position after the last event of the server's last binlog file, in bytes. Absent when the files are not known or there is none.",
			func(r *binlogServerRow) (float64, bool) {
				last := r.last()
				if last == nil {
					return 0, false
				}
				end := last.End()
				return float64(end.N), end.Known
			}),
		of("truelag_binlog_files", exposition.Gauge, "Binlog files of the server (SHOW BINARY LOGS). 0 when it writes no binlog. Absent when the files are not known.",
			func(r *binlogServerRow) (float64, bool) {
				files, known := r.files()
				return float64(len(files)), known
			}),
		of("truelag_binlog_size_bytes", exposition.Gauge, "Bytes of all binlog files of the server, as SHOW BINARY LOGS tells their sizes: on disk, with the headers of encrypted ones. Absent when the files, or the size of one of them, are not known.",
			func(r *binlogServerRow) (float64, bool) {
				if _, known := r.files(); !known {
					return 0, false
				}
				size := r.Inventory.Size()
				return float64(size.N), size.Known
			}),
		of("truelag_binlog_gtid_transactions_total", exposition.Counter, "Transactions in the server's GTID set: members of gtid_executed; on MariaDB the sequence numbers of gtid_binlog_pos, added up over the domains. It falls when the server is reset, and when another one answers at its address that has fewer; rate() takes either for a counter that began anew. Absent when the set is not known, and when the server writes no binlog; 0 when it is empty.",
			func(r *binlogServerRow) (float64, bool) {
				if r.Inventory == nil || r.Inventory.Executed == nil {
					return 0, false
				}
				return float64(r.Inventory.Executed.Count()), true
			}),
		of("truelag_binlog_view_age_seconds", exposition.Gauge, "Seconds since the server was asked for the list of files that lags in bytes and files are from: up to the configured interval, more while the server does not answer because a huge transaction is written. GTID sets are asked for in every round, and transactions are counted by them meanwhile. Without a list of files, since it was asked for those. Absent when nothing of the server could be read.",
			func(r *binlogServerRow) (float64, bool) {
				at, known := r.viewed()
				return max(r.now.Sub(at), 0).Seconds(), known
			}),
	}
}

func mysqlFeatureFamilies() []exposition.Family[mysql.Feature] {
	return []exposition.Family[mysql.Feature]{{
		Desc: exposition.Desc{Name: "truelag_mysql_feature", Type: exposition.Gauge, Labels: []string{"server", "feature"},
			Help: "1 when a part of what is read of the server works, 0 when it does not, mostly for want of a privilege: files (SHOW BINARY LOGS), gtids (the GTID sets), expiry (the settings that purge files by time), scan (the event scan). docs/permissions.md says what each needs. Absent when the part is switched off or was not tried (no consumer has a position that can be read from), and when nothing of the server could be read."},
		Series: single(func(f *mysql.Feature) (float64, bool) { return truth(f.Err == nil), true }),
	}}
}
