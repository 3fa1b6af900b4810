# Builds and checks the servers. "make help" lists what can be made.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --warn-undefined-variables

## Options:
##   CFG=Debug                            build/Debug, with symbols and, where cgo exists, the race detector
##   ClampMCPProtocolVersion_20251125=0   serve protocol version 2026-07-28, too
##   IncludePromptTools=0                 without the tools listPrompts and getPrompt
##   FUZZTIME=30s                         for each target of "make fuzz"
CFG ?= Release
ClampMCPProtocolVersion_20251125 ?= 1
IncludePromptTools ?= 1
FUZZTIME ?= 30s
NAME ?=

# Tools that need no installation: go run fetches them.
STATICCHECK := go run honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOFUMPT := go run mvdan.cc/gofumpt@v0.12.0

PLATFORMS := linux/amd64 linux/arm64 linux/ppc64le linux/s390x darwin/amd64 darwin/arm64 \
	windows/amd64 windows/arm64 aix/ppc64
SHELL_SCRIPTS := .ci/run scripts/fuzz tests/clients/run tests/filesystem/run tests/gateway/run

# Every folder cmd/MCPServer_<aspect> is a target <aspect>.
ASPECTS := $(patsubst cmd/MCPServer_%/main.go,%,$(wildcard cmd/MCPServer_*/main.go))
CROSS := $(addprefix cross/,$(PLATFORMS))

# choice stops, unless the variable $1 has exactly one of the values $2.
choice = $(if $(and $(filter 1,$(words $($1))),$(filter $2,$($1))),,$(error $1 is "$($1)"; it must be one of: $2))
$(call choice,CFG,Release Debug)
$(call choice,ClampMCPProtocolVersion_20251125,0 1)
$(call choice,IncludePromptTools,0 1)

comma := ,
space := $(subst ,, )
tags := $(if $(filter 0,$(ClampMCPProtocolVersion_20251125)),mcp20260728) $(if $(filter 0,$(IncludePromptTools)),nopolyfill)
TAGS := $(addprefix $(space)-tags=,$(subst $(space),$(comma),$(strip $(tags))))

# What behaves otherwise when the clamp is lifted is tested in both builds,
# whichever of them is made.
CLAMPED := $(if $(filter nopolyfill,$(tags)),$(space)-tags=nopolyfill)
UNCLAMPED := $(space)-tags=mcp20260728$(if $(filter nopolyfill,$(tags)),$(comma)nopolyfill)
UNCLAMPED_TESTS := ./core/... ./aspects/... ./tests/transcripts ./tests/probe

# The race detector needs cgo, a C compiler, and a platform that it knows.
race = $(shell go build -race runtime/cgo >/dev/null 2>&1 && echo " -race")
without-race = $(if $(race),,@echo "Without the race detector: it needs cgo and a C compiler.")

EXE = $(shell go env GOEXE)
OUT := build/$(CFG)
release-build = CGO_ENABLED=0 go build -trimpath -ldflags='-s -w'$(TAGS)
debug-build = $(if $(race),,CGO_ENABLED=0 )go build$(race) -gcflags='mcpserver/...=-N -l'$(TAGS)

GO_FOLDERS := aspects cmd core scripts tests

# unchanged fails if the formatter $1 lists files that it would change, and tells
# how to have it change them.
unchanged = @files=$$($1 -l $(GO_FOLDERS)); if [[ -n $$files ]]; then \
	printf 'These files are not formatted:\n%s\nTo format them: %s\n' "$$files" '$1 -w $(GO_FOLDERS)'; exit 1; fi

.PHONY: all $(ASPECTS) debug-note run test test-go conformance lint bench fuzz cross $(CROSS) aspect clean cleanall help

all: $(ASPECTS) ## every server, as build/Release/MCPServer_<aspect>

ifeq ($(CFG),Release)
$(ASPECTS):
	$(release-build) -o $(OUT)/MCPServer_$@$(EXE) ./cmd/MCPServer_$@
else
$(ASPECTS): debug-note
	$(debug-build) -o $(OUT)/MCPServer_$@$(EXE) ./cmd/MCPServer_$@
endif

debug-note:
	$(without-race)

run: helloWorld ## helloWorld, and a conversation with it
	@go run ./scripts/exchange $(OUT)/MCPServer_helloWorld$(EXE) < scripts/exchange/helloWorld.txt

# What servers write in conversations is recorded; the client tests check it, at
# the end, against the official schemas.
test: test-go ## all tests; fetches what they need
	rm -rf build/recordings
	MCP_RECORDINGS='$(CURDIR)/build/recordings' go test -count=1$(CLAMPED) ./tests/transcripts
	MCP_RECORDINGS='$(CURDIR)/build/recordings' go test -count=1$(UNCLAMPED) ./tests/transcripts
	MCP_RECORDINGS=build/recordings tests/clients/run
	$(judge)
	tests/filesystem/run
	tests/gateway/run

test-go: ## the tests that need Go alone
	$(call unchanged,gofmt)
	$(without-race)
	go vet$(CLAMPED) ./...
	go vet$(UNCLAMPED) ./...
	go test$(race)$(CLAMPED) ./...
	go test$(race)$(UNCLAMPED) $(UNCLAMPED_TESTS)

# The official suite judges both builds, whichever of them is made, and fails a
# server that should.
define judge
CGO_ENABLED=0 go build -trimpath -ldflags='-s -w'$(CLAMPED) -o build/clamped/ ./cmd/MCPServer_everything
CGO_ENABLED=0 go build -trimpath -ldflags='-s -w'$(UNCLAMPED) -o build/unclamped/ ./cmd/MCPServer_everything
go run ./tests/conformance build/clamped/MCPServer_everything$(EXE) build/unclamped/MCPServer_everything$(EXE)
go test -count=1 -tags=conformance ./tests/conformance ./tests/clientconformance
endef

conformance: ## the official conformance suite, on everything; part of test
	$(judge)

lint: ## go vet, staticcheck, gofumpt and shellcheck
	go vet ./...
	go vet -tags=mcp20260728,nopolyfill,conformance,npmserver ./...
	$(STATICCHECK) ./...
	$(STATICCHECK) -tags=mcp20260728,nopolyfill,conformance,npmserver ./...
	$(call unchanged,$(GOFUMPT))
	@command -v shellcheck >/dev/null || { echo "shellcheck is missing: install your system's package of that name."; exit 1; }
	shellcheck $(SHELL_SCRIPTS)

bench: ## the benchmarks, briefly, what the gateway adds to a call, and the filesystem server against the npm one
	go test -run='^$$' -bench=. -benchmem -benchtime=200ms$(TAGS) ./core/...
	go test -run='^$$' -bench=. -benchtime=1x ./tests/gateway
	tests/filesystem/run speed

fuzz: ## each fuzz target for FUZZTIME
	scripts/fuzz $(FUZZTIME)

cross: $(CROSS) ## every server for every platform, as build/cross/<os>_<arch>/, and go vet there; one: make cross/linux/arm64

$(CROSS): cross/%:
	GOOS=$(*D) GOARCH=$(*F) $(release-build) -o build/cross/$(*D)_$(*F)/ ./cmd/...
	GOOS=$(*D) GOARCH=$(*F) CGO_ENABLED=0 go vet ./...
	GOOS=$(*D) GOARCH=$(*F) CGO_ENABLED=0 go vet -tags=mcp20260728,nopolyfill ./...

aspect: export ASPECT_NAME = $(NAME)
aspect: ## a new aspect from a template: make aspect NAME=myAspect
	@go run ./scripts/newaspect "$$ASPECT_NAME"

clean: ## remove what was built
	rm -rf build

cleanall: clean ## remove what tests have fetched, too
	rm -rf tests/clients/node/node_modules tests/conformance/node_modules tests/filesystem/node_modules tests/gateway/node_modules

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' Makefile
	@echo "  make ASPECT      that one of: $(ASPECTS)"
	@sed -n 's/^## \{0,1\}//p' Makefile
