package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Cases are those of a folder or a file, in their order.
type Cases struct {
	Kafka []Case
	Flink []FlinkCase
	MySQL []MySQLCase
}

// Load reads all cases of the YAML files in a folder, and in its subfolders kafka, flink and mysql if there are such. A
// case with a mistake is left out and is part of the error, which names file, case and line of each.
func Load(dir string) (Cases, error) {
	var files []string
	for _, folder := range []string{".", "kafka", "flink", "mysql"} {
		for _, pattern := range []string{"*.yaml", "*.yml"} {
			found, err := filepath.Glob(filepath.Join(dir, folder, pattern))
			if err != nil {
				return Cases{}, fmt.Errorf("list case files: %w", err)
			}
			files = append(files, found...)
		}
	}
	slices.Sort(files)
	if len(files) == 0 {
		return Cases{}, fmt.Errorf("no *.yaml in %s", dir)
	}
	var (
		cases Cases
		errs  []error
		seen  = map[string]Place{}
	)
	// taken tells whether a name is not new, and says so.
	taken := func(p Place) bool {
		first, taken := seen[p.Name]
		if taken {
			errs = append(errs, fmt.Errorf("%s: case %q: line %d: the name is taken by %s line %d", p.File, p.Name, p.Line, first.File, first.Line))
			return true
		}
		seen[p.Name] = p
		return false
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			errs = append(errs, fmt.Errorf("read cases: %w", err))
			continue
		}
		read, err := Parse(file, text)
		if err != nil {
			errs = append(errs, err)
		}
		cases.Kafka = append(cases.Kafka, slices.DeleteFunc(read.Kafka, func(c Case) bool { return taken(c.Place) })...)
		cases.Flink = append(cases.Flink, slices.DeleteFunc(read.Flink, func(c FlinkCase) bool { return taken(c.Place) })...)
		cases.MySQL = append(cases.MySQL, slices.DeleteFunc(read.MySQL, func(c MySQLCase) bool { return taken(c.Place) })...)
	}
	return cases, errors.Join(errs...)
}

// Parse reads the cases of one file's text. It returns those without a mistake even when there is an error.
func Parse(file string, text []byte) (Cases, error) {
	var (
		cases Cases
		errs  []error
	)
	for dec := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var doc yaml.Node
		if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", file, err))
			break
		}
		root := doc.Content[0]
		if root.Tag == "!!null" {
			continue
		}
		at := Place{File: file, Line: root.Line}
		if name := value(root, "name"); name != nil { // before all else, so that any error can tell it
			at.Name = name.Value
		}
		if err := cases.read(root, at); err != nil {
			errs = append(errs, fmt.Errorf("%s: case %q: %w", file, at.Name, err))
		}
	}
	return cases, errors.Join(errs...)
}

// read takes a case. Its keys tell the kind: samples are those of a Flink source, and a server is one of MySQL.
func (c *Cases) read(n *yaml.Node, at Place) error {
	switch {
	case value(n, "samples") != nil:
		return add(&c.Flink, FlinkCase{Place: at}, (*FlinkCase).read, n)
	case value(n, "server") != nil:
		return add(&c.MySQL, MySQLCase{Place: at}, (*MySQLCase).read, n)
	default:
		return add(&c.Kafka, Case{Place: at, Scan: true}, (*Case).read, n)
	}
}

// add appends a case to others of its kind when it has been read without a mistake.
func add[C any](cases *[]C, c C, read func(*C, *yaml.Node) error, n *yaml.Node) error {
	if err := read(&c, n); err != nil {
		return err
	}
	*cases = append(*cases, c)
	return nil
}

// value is the value of a mapping's key; nil where there is none.
func value(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if v := n.Content[i+1]; n.Content[i].Value == key {
			if v.Kind == yaml.AliasNode {
				v = v.Alias
			}
			return v
		}
	}
	return nil
}
