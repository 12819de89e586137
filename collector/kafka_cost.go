package collector

import (
	"truelag/exposition"
	"truelag/kafka"
)

func count(r *int64) (float64, bool) { return float64(*r), true }

func requestFamilies() []exposition.Family[int64] {
	return []exposition.Family[int64]{{
		Desc: exposition.Desc{Name: "truelag_kafka_requests_total", Type: exposition.Counter, Labels: []string{"api"},
			Help: "Requests sent to brokers, by API."},
		Series: single(count),
	}}
}

func errorFamilies() []exposition.Family[int64] {
	return []exposition.Family[int64]{{
		Desc: exposition.Desc{Name: "truelag_kafka_errors_total", Type: exposition.Counter, Labels: []string{"api", "error"},
			Help: "Errors by API and the protocol's name of the code, one for each row that carried it; timeout, connection, unsupported and too_large are requests without a readable answer. The usual ones exist at 0."},
		Series: single(count),
	}}
}

func costFamilies() []exposition.Family[kafka.Ledger] {
	var events []exposition.Series[kafka.Ledger]
	for _, k := range kafka.EventKinds() {
		events = append(events, exposition.Series[kafka.Ledger]{
			Extra: exposition.Label("kind", k.String()),
			Value: func(l *kafka.Ledger) (float64, bool) { return float64(l.Events[k]), true },
		})
	}
	var faults []exposition.Series[kafka.Ledger]
	for _, f := range kafka.BatchFaults() {
		faults = append(faults, exposition.Series[kafka.Ledger]{
			Extra: exposition.Label("reason", f.String()),
			Value: func(l *kafka.Ledger) (float64, bool) { return float64(l.Faults[f]), true },
		})
	}
	return []exposition.Family[kafka.Ledger]{
		{
			Desc: exposition.Desc{Name: "truelag_events_total", Type: exposition.Counter, Labels: []string{"kind"},
				Help: "Findings since the start: rewind, recreated (a topic of another id took the name), truncated (a high watermark moved back), beyond_end, lost (a commit began to stand above the high watermark, below the log start offset), beyond_end_over, lost_over. One for each partition. The page /events has the last thousand. All kinds exist from the start."},
			Series: events,
		},
		{
			Desc: exposition.Desc{Name: "truelag_scan_bytes_total", Type: exposition.Counter,
				Help: "Bytes of record batches that were fetched to read their headers."},
			Series: single(func(l *kafka.Ledger) (float64, bool) { return float64(l.ScanBytes), true }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_scan_fetches_total", Type: exposition.Counter,
				Help: "Fetch requests sent to read batch headers, each for many partitions."},
			Series: single(func(l *kafka.Ledger) (float64, bool) { return float64(l.ScanFetches), true }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_scan_unreadable_batches_total", Type: exposition.Counter, Labels: []string{"reason"},
				Help: "Record batches at the tails that could not be read, so that their offsets are unscanned or their records' ages are not known: old_format (a message of format 0 or 1), corrupt (a header, checksum or record makes no sense), compression (a codec is not known, or the bytes are not of it), too_large (above 64 MiB, as it stands or decompressed, or with holes and more than 131072 records). A batch counts each time that it is fetched: most often once, one that is corrupt with each scrape. All reasons exist from the start."},
			Series: faults,
		},
		{
			Desc: exposition.Desc{Name: "truelag_kafka_tls_reload_failures_total", Type: exposition.Counter,
				Help: "Looks at the TLS files on disk (ca_file, cert_file, key_file), one for each new connection to a broker, that found one missing or not to be used: the ones loaded before stay in force, and the log says what is wrong. Exists at 0 where such files are configured, absent elsewhere."},
			Series: single(func(l *kafka.Ledger) (float64, bool) { return float64(l.TLSFailures), l.TLSFiles }),
		},
	}
}
