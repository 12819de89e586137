package mysql

import (
	"maps"
	"slices"
	"time"
)

// writes are times by the server's clock at which files were written to, or were the active one: a file was last written to no
// earlier. Nothing that a server answers without opening its files tells when that was.
type writes map[string]time.Time

// see takes in a list that the server was asked for at a time of its clock, and forgets files that are not in it.
func (w writes) see(files []File, asked time.Time) {
	if len(files) == 0 {
		return
	}
	w.note(files[len(files)-1].Name, asked)
	w.keep(files)
}

// keep forgets all files but these.
func (w writes) keep(files []File) {
	listed := make(map[string]bool, len(files))
	for _, f := range files {
		listed[f.Name] = true
	}
	maps.DeleteFunc(w, func(name string, _ time.Time) bool { return !listed[name] })
}

// note takes in a time for a listed file; zero: none is known.
func (w writes) note(file string, at time.Time) {
	if w[file].Before(at) {
		w[file] = at
	}
}

// date tells of each file what is known. Files follow one another, so none ends before an earlier one.
func (w writes) date(files []File) []File {
	dated := slices.Clone(files)
	var latest time.Time
	for i, f := range files {
		if at := w[f.Name]; at.After(latest) {
			latest = at
		}
		dated[i].Written = latest
	}
	return dated
}

// killed forgets when the file that was the active one of a list was written to, where the server has turned away from it and has not ended
// it with an event: it was killed, and the file may be as old as its last event. MySQL writes to it when it starts again, MariaDB does not.
func (w writes) killed(before, now []File) {
	if len(before) == 0 {
		return
	}
	last := before[len(before)-1]
	for _, f := range now[:max(len(now)-1, 0)] {
		if f.Name == last.Name && f.Size == last.Size {
			delete(w, f.Name)
		}
	}
}
