package mysql

import "time"

// writes are times at which files were the active one, by the server's clock: a file was last written to no earlier. Nothing
// that a server answers without opening its files tells when that was.
type writes map[string]time.Time

// see takes in a list that the server was asked for at a time of its clock, and tells of each file what is known. Files follow one
// another, so none ends before an earlier one.
func (w writes) see(files []File, asked time.Time) []File {
	if len(files) == 0 || asked.IsZero() {
		return files
	}
	last := files[len(files)-1].Name
	if w[last].Before(asked) {
		w[last] = asked
	}
	known := make([]File, len(files))
	listed := make(writes, len(w))
	var latest time.Time
	for i, f := range files {
		if at, ok := w[f.Name]; ok {
			listed[f.Name] = at
			if at.After(latest) {
				latest = at
			}
		}
		f.Written = latest
		known[i] = f
	}
	clear(w)
	for name, at := range listed {
		w[name] = at
	}
	return known
}
