package config

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

// akin finds the name that a longer or shorter one begins with or is the beginning of: username for user. Empty: none.
func akin(name string, names []string) string {
	for _, n := range names {
		if min(len(n), len(name)) >= 4 && (strings.HasPrefix(name, n) || strings.HasPrefix(n, name)) {
			return n
		}
	}
	return ""
}

// homeOf is the block that has a key which the block at path has not: one inside it, else one of the same system. What the blocks of
// another system have would lead astray: a port of Flink's reporters says nothing of MySQL.
func homeOf(key string, t reflect.Type, path string) string {
	if at := find(key, t, path); at != "" {
		return at
	}
	system, _, _ := strings.Cut(path, ".")
	for i := range reflect.TypeFor[Config]().NumField() {
		if f := reflect.TypeFor[Config]().Field(i); keyOf(f) == system {
			return find(key, f.Type, system)
		}
	}
	return ""
}

// find looks for the block that has a key.
func find(key string, t reflect.Type, path string) string {
	switch t.Kind() {
	case reflect.Pointer:
		return find(key, t.Elem(), path)
	case reflect.Slice:
		return find(key, t.Elem(), path+"[]")
	case reflect.Struct:
		if isLeaf(t) {
			return ""
		}
		for _, k := range keysOf(t) {
			if k == key && path != "" {
				return path
			}
		}
		for i := range t.NumField() {
			if at := find(key, t.Field(i).Type, under(path, keyOf(t.Field(i)))); at != "" {
				return at
			}
		}
	}
	return ""
}

func isLeaf(t reflect.Type) bool {
	return t == reflect.TypeFor[Secret]() || reflect.PointerTo(t).Implements(reflect.TypeFor[value]())
}

func keyOf(f reflect.StructField) string { return f.Tag.Get("yaml") }

// keysOf lists the keys of a block, in the order of its fields.
func keysOf(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		k := keyOf(t.Field(i))
		names = append(names, k)
		if t.Field(i).Type == reflect.TypeFor[Secret]() {
			names = append(names, k+"_file", k+"_env")
		}
	}
	return names
}

func under(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func label(path string) string {
	if path == "" {
		return "the file"
	}
	return path
}

func lastKey(path string) string { return path[strings.LastIndex(path, ".")+1:] }

func inside(path string) string {
	if path == "" {
		return ""
	}
	return " in " + path
}

var plainKey = regexp.MustCompile(`^[A-Za-z0-9_.-]{0,40}`)

// shortKey keeps the part of a key that looks like one. In {password:hunter2}, without a space, all of it is a key.
func shortKey(key string) string {
	if plain := plainKey.FindString(key); plain != key {
		return plain + "..."
	}
	return key
}

func shownKey(key string) string { return fmt.Sprintf("%q", shortKey(key)) }
