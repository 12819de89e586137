package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// String is the configuration in force, as YAML, with all defaults and without secrets.
func (c *Config) String() string {
	var b strings.Builder
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(encode(reflect.ValueOf(c).Elem())); err != nil {
		return "# " + err.Error() + "\n"
	}
	return b.String()
}

// encode makes the YAML that decodes to v, but for secrets. Settings that are not set and have no default are left out;
// nil says that v is one.
func encode(v reflect.Value) *yaml.Node {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
		if n := encode(v); n != nil {
			return n
		}
		return &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle} // tls: {}
	}
	if leaf, ok := v.Addr().Interface().(value); ok {
		if v.IsZero() && leaf.String() == "" {
			return nil
		}
		if _, number := leaf.(*Bytes); number {
			return &yaml.Node{Kind: yaml.ScalarNode, Value: leaf.String()}
		}
		return text(leaf.String())
	}
	n := &yaml.Node{}
	switch v.Kind() {
	case reflect.Struct:
		n.Kind = yaml.MappingNode
		for i := range v.NumField() {
			key, field := keyOf(v.Type().Field(i)), v.Field(i)
			if s, ok := field.Addr().Interface().(*Secret); ok {
				n.Content = append(n.Content, encodeSecret(key, s)...)
			} else if val := encode(field); val != nil {
				n.Content = append(n.Content, text(key), val)
			}
		}
	case reflect.Slice:
		n.Kind = yaml.SequenceNode
		for i := range v.Len() {
			n.Content = append(n.Content, item(encode(v.Index(i))))
		}
	case reflect.Map:
		n.Kind = yaml.MappingNode
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			n.Content = append(n.Content, text(k.String()), text(fmt.Sprint(v.MapIndex(k).Interface())))
		}
	case reflect.String:
		if v.String() == "" {
			return nil
		}
		return text(v.String())
	default:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(v.Interface())}
	}
	if len(n.Content) == 0 {
		return nil
	}
	return n
}

func encodeSecret(key string, s *Secret) []*yaml.Node {
	switch {
	case s.file != "":
		return []*yaml.Node{text(key + "_file"), text(string(s.file))}
	case s.env != "":
		return []*yaml.Node{text(key + "_env"), text(s.env)}
	case s.inline != nil:
		return []*yaml.Node{text(key), text(hidden)}
	}
	return nil
}

// item is an element of a list, which cannot be left out.
func item(n *yaml.Node) *yaml.Node {
	if n == nil {
		return text("")
	}
	return n
}

func text(s string) *yaml.Node {
	n := new(yaml.Node)
	n.SetString(s)
	return n
}
