//go:build race

package main

// buildFlags make the program that the tests start look for data races when they do.
var (
	buildFlags = []string{"-race"}
	buildEnv   []string
)
