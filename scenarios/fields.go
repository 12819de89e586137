package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// wrong is a mistake of a case file's author.
func wrong(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: %w", n.Line, fmt.Errorf(format, args...))
}

// reader takes a value from a file.
type reader = func(*yaml.Node) error

// fields reads a mapping. A key that has no reader, that comes twice, or that must be there and is not, is an error; what
// names the mapping in it.
func fields(n *yaml.Node, what string, readers map[string]reader, must ...string) error {
	seen := map[string]bool{}
	err := eachField(n, what, func(key string, at, value *yaml.Node) error {
		read, ok := readers[key]
		if !ok {
			return wrong(at, "unknown key %q of %s; it knows %s", key, what, names(readers))
		}
		seen[key] = true
		return read(value)
	})
	if err != nil {
		return err
	}
	for _, key := range must {
		if !seen[key] {
			return wrong(n, "%s needs the key %q", what, key)
		}
	}
	return nil
}

// names lists a map's keys for a message.
func names[V any](m map[string]V) string { return strings.Join(slices.Sorted(maps.Keys(m)), ", ") }

// eachField takes a mapping's keys one by one, in the file's order.
func eachField(n *yaml.Node, what string, take func(key string, at, value *yaml.Node) error) error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.MappingNode {
		return wrong(n, "%s is a mapping of keys to values", what)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		at, value := n.Content[i], n.Content[i+1]
		if seen[at.Value] {
			return wrong(at, "key %q of %s comes twice", at.Value, what)
		}
		seen[at.Value] = true
		if value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		if err := take(at.Value, at, value); err != nil {
			return err
		}
	}
	return nil
}

// eachItem takes a list's items one by one.
func eachItem(n *yaml.Node, what string, take func(*yaml.Node) error) error {
	if n.Kind != yaml.SequenceNode {
		return wrong(n, "%s is a list", what)
	}
	for _, item := range n.Content {
		if item.Kind == yaml.AliasNode {
			item = item.Alias
		}
		if err := take(item); err != nil {
			return err
		}
	}
	return nil
}

// into reads a scalar into v.
func into[T any](v *T) reader {
	return func(n *yaml.Node) error {
		kind, number := "a whole number", true
		switch any(*v).(type) {
		case string:
			kind, number = "a string", false
		case bool:
			kind, number = "true or false", false
		}
		if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
			return wrong(n, "want %s", kind)
		}
		if number && n.Tag != "!!int" || n.Decode(v) != nil { // a fraction would be cut
			return wrong(n, "%q is not %s", n.Value, kind)
		}
		return nil
	}
}

// maybe reads a scalar whose absence means something.
func maybe[T any](v **T) reader {
	return func(n *yaml.Node) error {
		*v = new(T)
		return into(*v)(n)
	}
}

// oneOf reads a string that must be one of some.
func oneOf(v *string, allowed ...string) reader {
	return func(n *yaml.Node) error {
		if err := into(v)(n); err != nil {
			return err
		}
		if !slices.Contains(allowed, *v) {
			return wrong(n, "%q is not one of %s", *v, strings.Join(allowed, ", "))
		}
		return nil
	}
}

// namesOf are how values call themselves.
func namesOf[T fmt.Stringer](values []T) (names []string) {
	for _, v := range values {
		names = append(names, v.String())
	}
	return names
}

// named reads one of some values by what it calls itself.
func named[T fmt.Stringer](v *T, values []T) reader {
	return func(n *yaml.Node) error {
		var name string
		all := namesOf(values)
		if err := oneOf(&name, all...)(n); err != nil {
			return err
		}
		*v = values[slices.Index(all, name)]
		return nil
	}
}

// atLeast reads a number that must not be lower.
func atLeast[T int | int32 | int64](least T, v *T) reader {
	return func(n *yaml.Node) error {
		if err := into(v)(n); err != nil {
			return err
		}
		if *v < least {
			return wrong(n, "want at least %d, not %d", least, *v)
		}
		return nil
	}
}
