# What CI runs is test, lint, and e2e. The rest is for people.

GOLANGCI_LINT_VERSION := v2.15.0
BIN                   := $(CURDIR)/bin

VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
REVISION ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
BRANCH   ?= $(shell git rev-parse --abbrev-ref HEAD 2>/dev/null || echo unknown)
LDFLAGS  := -s -w \
	-X github.com/prometheus/common/version.Version=$(VERSION) \
	-X github.com/prometheus/common/version.Revision=$(REVISION) \
	-X github.com/prometheus/common/version.Branch=$(BRANCH)

.PHONY: build
build: ## The binary, static.
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o truelag_exporter .

.PHONY: test
test: ## All fast tests, with the race detector: embedded brokers only.
	go test -race -timeout 25m ./...
	cd exposition/textparse && go test ./...

.PHONY: lint
lint: $(BIN)/golangci-lint-$(GOLANGCI_LINT_VERSION) ## gofmt, vet and the linters of .golangci.yml.
	$< run --timeout 10m ./...

$(BIN)/golangci-lint-$(GOLANGCI_LINT_VERSION):
	GOBIN=$(BIN) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	mv $(BIN)/golangci-lint $@

.PHONY: lab
lab: ## Real Kafka, Flink, MySQL and MariaDB and the programs that the end-to-end tests start (lab/README.md). Quick when they are there.
	lab/install.sh

.PHONY: e2e
e2e: lab ## End-to-end tests against real brokers on the loopback.
	go test -tags e2e -count=1 -p 1 -timeout 80m ./lab ./scenarios

.PHONY: soak
soak: ## Thousands of random logs against an independent consumer.
	go test ./kafka -run TestRandomLogs -count=1 -timeout 60m -args -logs 20000 -seed 0

.PHONY: fuzz
fuzz: ## Each fuzz target for a minute.
	@for p in $$(go list ./...); do for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz'); do \
		echo "$$p $$f"; go test $$p -run '^$$' -fuzz "^$$f$$" -fuzztime 1m || exit 1; done; done

.PHONY: bench
bench: ## Speed and cost beside the floor program; the last lines are the figures. Minutes, loopback only, Linux.
	@go run ./lab/bench

.PHONY: browser
browser: lab ## The pages in headless Chromium, with screenshots (lab/browser/shots). Needs chromium and chromium-driver.
	cd lab/browser && go test -count=1 -timeout 40m .

.PHONY: docs
docs: ## Writes what is generated: docs/metrics.md.
	go run . metrics >docs/metrics.md

.PHONY: vulncheck
vulncheck: ## govulncheck with a data base from the module proxy; needs some minutes the first time.
	.ci/vulncheck

.PHONY: help
help:
	@grep -hE '^[a-z0-9]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12
