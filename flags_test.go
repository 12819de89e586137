package main

import (
	"strings"
	"testing"
)

func TestEveryFlagHasAVariable(t *testing.T) {
	app := newApp(new(options))
	want := map[string]string{}
	check := func(name, env string) {
		if other, ok := want[env]; ok {
			t.Errorf("--%s and --%s have one variable, %s", name, other, env)
		}
		want[env] = name
		if !strings.HasPrefix(env, "TRUELAG_") {
			t.Errorf("--%s has no variable", name)
		}
	}
	model := app.Model()
	for _, f := range model.Flags {
		if !f.Hidden && f.Name != "help" && f.Name != "version" {
			check(f.Name, f.Envar)
		}
	}
	for _, c := range model.Commands {
		for _, f := range c.Flags {
			check(f.Name, f.Envar)
		}
	}
	if want["TRUELAG_KAFKA_BROKERS"] != "kafka.brokers" || want["TRUELAG_TIMEOUT_OFFSET"] != "timeout-offset" {
		t.Errorf("variables: %v", want)
	}
}

func TestEveryCommandExists(t *testing.T) {
	for _, c := range newApp(new(options)).Model().Commands {
		if commands[c.Name] == nil {
			t.Errorf("command %s does nothing", c.Name)
		}
	}
}

func TestSplitBrokers(t *testing.T) {
	got := strings.Join(splitBrokers([]string{"a:1, b:2", "c:3", "\nd:4,"}), "|")
	if want := "a:1|b:2|c:3|d:4"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "", 3}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "axc", 1},
		{"kafka.broker", "kafka.brokers", 1}, {"kitten", "sitting", 3},
	}
	for _, tt := range tests {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
