package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// decoder fills a Config from YAML. It takes nothing that it does not know, and notes the line of each thing that is set.
//
// It does not use the YAML library's own decoding into structs: that quotes values, secrets among them, in its errors,
// takes scalars of other types, and forgets the lines.
type decoder struct {
	file  string
	dir   string         // relative paths start here
	lines map[string]int // by path, such as kafka.clusters[0].tls
	errs  []*Error
	nodes int
}

// maxNodes bounds what aliases can make of a small file.
const maxNodes = 100_000

func (d *decoder) wrong(n *yaml.Node, what, right string) {
	d.errs = append(d.errs, &Error{d.file, n.Line, what, right})
}

// defaulted is a type whose zero value is not its default.
type defaulted interface{ setDefaults() }

func (d *decoder) decode(n *yaml.Node, path string, v reflect.Value) {
	if d.nodes++; d.nodes > maxNodes {
		if d.nodes == maxNodes+1 {
			d.wrong(n, "the file has too many values", "use fewer aliases")
		}
		return
	}
	if n.Kind == yaml.AliasNode {
		d.decode(n.Alias, path, v)
		return
	}
	if d.lines[path] == 0 { // else it is the key's line
		d.lines[path] = n.Line
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		right := "give it one, or leave the key out"
		if v.Kind() == reflect.Pointer {
			right = "write {} for its defaults, or leave the key out"
		}
		d.wrong(n, label(path)+" has no value", right)
		return
	}
	if !strings.HasPrefix(n.Tag, "!!") { // the tag itself may be the start of a secret
		d.wrong(n, label(path)+" begins with a tag (!), which means nothing here", "put text that begins with ! in quotes")
		return
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if def, ok := v.Addr().Interface().(defaulted); ok {
		def.setDefaults()
	}
	switch leaf := v.Addr().Interface().(type) {
	case *Secret:
		if d.kind(n, path, yaml.ScalarNode, "text") {
			leaf.inline = &n.Value
		}
		return
	case value:
		if d.kind(n, path, yaml.ScalarNode, "text") {
			d.parse(n, path, leaf)
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		if d.kind(n, path, yaml.MappingNode, "a block of keys") {
			d.block(n, path, v)
		}
	case reflect.Slice:
		if d.kind(n, path, yaml.SequenceNode, "a list") && len(n.Content) > 0 {
			v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
			for i, item := range n.Content {
				d.decode(item, fmt.Sprintf("%s[%d]", path, i), v.Index(i))
			}
		}
	case reflect.Map:
		if d.kind(n, path, yaml.MappingNode, "a block of keys") {
			d.pairs(n, path, v)
		}
	case reflect.String:
		if d.kind(n, path, yaml.ScalarNode, "text") {
			v.SetString(n.Value)
		}
	case reflect.Bool, reflect.Int:
		d.scalar(n, path, v)
	default:
		panic("config: no decoding of " + v.Type().String())
	}
}

// kind checks what a node is, and says what it should be.
func (d *decoder) kind(n *yaml.Node, path string, want yaml.Kind, name string) bool {
	if n.Kind == want {
		return true
	}
	right := "write " + name
	switch {
	case want == yaml.SequenceNode && n.Kind == yaml.ScalarNode:
		right = fmt.Sprintf("write a list, even of one: %s: [...]", lastKey(path))
	case want == yaml.ScalarNode:
		right = "write text; put it in quotes if it begins with { or ["
	}
	is := map[yaml.Kind]string{yaml.ScalarNode: "text", yaml.SequenceNode: "a list", yaml.MappingNode: "a block of keys"}[n.Kind]
	d.wrong(n, fmt.Sprintf("%s is %s instead of %s", label(path), is, name), right)
	return false
}

func (d *decoder) parse(n *yaml.Node, path string, leaf value) {
	err := leaf.parse(n.Value)
	var w *wrong
	if errors.As(err, &w) {
		d.wrong(n, path+": "+w.what, w.right)
	}
	if f, ok := leaf.(*File); ok && err == nil && !filepath.IsAbs(string(*f)) {
		*f = File(filepath.Join(d.dir, string(*f)))
	}
}

func (d *decoder) scalar(n *yaml.Node, path string, v reflect.Value) {
	tag, what, right := "!!bool", "neither true nor false", "write true or false, without quotes"
	if v.Kind() == reflect.Int {
		tag, what, right = "!!int", "no whole number", "write a whole number, without quotes"
	}
	if n.Kind != yaml.ScalarNode || n.Tag != tag || n.Decode(v.Addr().Interface()) != nil {
		d.wrong(n, path+" is "+what, right)
	}
}

// keys calls f for each key of a mapping, which it has found to be text and there once.
func (d *decoder) keys(n *yaml.Node, path string, f func(key, val *yaml.Node)) {
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, val := n.Content[i], n.Content[i+1]
		switch {
		case key.Tag == "!!merge":
			d.wrong(key, "merge keys (<<) are not taken", "write the keys out, or give the whole block by an alias")
		case key.Kind != yaml.ScalarNode:
			d.wrong(key, "a key"+inside(path)+" is not plain text", "write key: value")
		case seen[key.Value] > 0:
			what := fmt.Sprintf("key %s%s is there twice, first in line %d", shownKey(key.Value), inside(path), seen[key.Value])
			d.wrong(key, what, "leave one of them out")
		default:
			seen[key.Value] = key.Line
			f(key, val)
		}
	}
}

// block fills a struct. A Secret takes three keys, of which one may be there.
func (d *decoder) block(n *yaml.Node, path string, v reflect.Value) {
	fields := map[string]int{}
	for i := range v.NumField() {
		fields[keyOf(v.Type().Field(i))] = i
	}
	secrets := map[string]string{} // the key by which a secret is given
	d.keys(n, path, func(key, val *yaml.Node) {
		name, way := key.Value, ""
		if _, ok := fields[name]; !ok {
			for _, suffix := range []string{"_file", "_env"} {
				if base, ok := strings.CutSuffix(name, suffix); ok {
					if i, ok := fields[base]; ok && v.Type().Field(i).Type == reflect.TypeFor[Secret]() {
						name, way = base, suffix
					}
				}
			}
		}
		i, ok := fields[name]
		if !ok {
			d.unknown(key, path, v.Type())
			return
		}
		field := v.Field(i)
		d.lines[under(path, name)] = key.Line
		if field.Type() != reflect.TypeFor[Secret]() {
			d.decode(val, under(path, name), field)
			return
		}
		if before := secrets[name]; before != "" {
			d.wrong(key, fmt.Sprintf("both %s and %s are set", under(path, before), key.Value), "leave one of them out")
			return
		}
		secrets[name] = key.Value
		secret := field.Addr().Interface().(*Secret)
		switch way {
		case "_file":
			d.decode(val, under(path, key.Value), reflect.ValueOf(&secret.file).Elem())
		case "_env":
			d.decode(val, under(path, key.Value), reflect.ValueOf(&secret.env).Elem())
		default:
			d.decode(val, under(path, name), field)
		}
	})
}

// pairs fills a map of text to text, or to secrets.
func (d *decoder) pairs(n *yaml.Node, path string, v reflect.Value) {
	v.Set(reflect.MakeMap(v.Type()))
	d.keys(n, path, func(key, val *yaml.Node) {
		item := reflect.New(v.Type().Elem()).Elem()
		d.decode(val, under(path, shortKey(key.Value)), item)
		v.SetMapIndex(reflect.ValueOf(key.Value), item)
	})
}

func (d *decoder) unknown(key *yaml.Node, path string, t reflect.Type) {
	names := keysOf(t)
	right := "the keys here are " + strings.Join(names, ", ")
	if n := nearest(key.Value, names); n != "" {
		right = fmt.Sprintf("did you mean %q?", n)
	} else if n := akin(key.Value, names); n != "" {
		right = fmt.Sprintf("did you mean %q?", n)
	} else if at := homeOf(key.Value, t, path); at != "" {
		right = fmt.Sprintf("it belongs in %s; %s", at, right)
	}
	d.wrong(key, fmt.Sprintf("unknown key %s%s", shownKey(key.Value), inside(path)), right)
}
