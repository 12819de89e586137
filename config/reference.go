package config

import _ "embed"

// Reference is a commented file with every key. It configures what --kafka.brokers=localhost:9092 does.
//
//go:embed reference.yml
var Reference string
