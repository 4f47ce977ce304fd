# dripstone: `make` lists what there is.
.DEFAULT_GOAL := help
.PHONY: help setup build install uninstall run start crystallize context status test lint format test-ui screenshots check release bench bench-ratios bench-search bytes crash fuzz sabotage test-engines clean

NODE ?= node
CLI  := dist/cli.js
ARGS ?=
# where `make install` puts the program `dripstone`; PURGE=1 makes `make uninstall` delete the memory too
BINDIR ?= $(HOME)/.local/bin
PURGE ?=

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: node_modules/.stamp ## install the dependencies (only when they changed)
node_modules/.stamp: package.json package-lock.json .npmrc
	npm ci --no-progress --loglevel=error --no-update-notifier
	@touch $@

build: dist/.stamp ## compile (only when the sources changed)
dist/.stamp: node_modules/.stamp package.json bundle.js config/default.yaml $(shell find src -type f 2>/dev/null)
	@$(NODE) bundle.js
	@touch $@

install: build ## copy the program to a folder of its own, put it on PATH, keep it running as a service; again after `git pull`
	@$(NODE) $(CLI) service install --bin "$(BINDIR)"

uninstall: build ## stop it, remove service, program and links; PURGE=1 also deletes what was remembered
	@$(NODE) $(CLI) service uninstall --bin "$(BINDIR)" $(if $(filter 1 yes true,$(PURGE)),--purge)

run: build ## read every session log once and write context.md; without logs, show the samples
	@$(NODE) $(CLI) run --samples-if-empty $(ARGS)

start: build ## keep reading in the foreground until Ctrl-C
	@$(NODE) $(CLI) start $(ARGS)

crystallize: build ## do the nightly work now
	@$(NODE) $(CLI) crystallize $(ARGS)

context: build ## print the context.md of this folder's project
	@$(NODE) $(CLI) context $(ARGS)

status: build ## what was read, what is pending, what failed
	@$(NODE) $(CLI) status $(ARGS)

# Whole lives of the program (the real clock, its own processes, damaged and full disks, kills, random histories), and a browser. CI runs
# it all.
LONG := 'test/long/**' 'test/faults/**' 'test/e2e/**' 'test/ui/**'

test: setup ## run the test suite without its long part (ARGS=test/store: what is there)
	@$(NODE) node_modules/vitest/vitest.mjs run $(if $(ARGS),$(ARGS),$(LONG:%=--exclude %))

test-ui: setup ## test the page of `dripstone ui` in a browser of this machine (CHROMIUM=… names one; nothing is downloaded)
	@$(NODE) node_modules/vitest/vitest.mjs run test/ui

screenshots: build ## take the pictures of the page in docs/ anew
	@$(TSX) test/ui/screenshots.ts

FORMATTED := '{src,test,bench}/**/*.{ts,tsx,css,html}' '*.{js,ts}'

lint: setup ## check the format and the style; `make format` writes the format
	@$(NODE) node_modules/prettier/bin/prettier.cjs --check --log-level warn $(FORMATTED)
	@$(NODE) node_modules/eslint/bin/eslint.js . --max-warnings 0

format: setup ## format the sources, and write the generated tables of the docs
	@$(NODE) node_modules/prettier/bin/prettier.cjs --write --log-level warn $(FORMATTED)
	@$(TSX) test/docs/write-tables.ts
	@$(TSX) test/architecture/count.ts
	@$(TSX) test/packaging/write-plugins.ts

check: setup ## what CI runs: lint, types, all tests with the long part
	@bash .ci/run

release: check ## after every check: the package for all machines as a .tgz, as npm would publish it; publishes nothing
	@npm audit --omit=dev --audit-level=high
	@npm audit --audit-level=high
	@$(NODE) bundle.js --all-machines
	@npm publish --dry-run "$$(npm pack --silent)"

TSX := $(NODE) node_modules/tsx/dist/cli.mjs

bench: build ## what dripstone costs: disk, idle daemon, commands, hooks, tokens (SESSIONS=…); FOLDER=… also reading, on logs laid out as a home
	@$(TSX) bench/cost.ts $(SESSIONS)
	@if [ -n "$(FOLDER)" ]; then $(TSX) bench/ingest.ts "$(FOLDER)"; fi

bench-ratios: build ## reading, the start of commands and the idle daemon, each against a yardstick; fails when one got slower
	@$(TSX) bench/ratios.ts

bench-search: build ## how well a search finds, over invented conversations and a corpus (CORPUS=…, HOMES=… keeps it read); then how fast
	@$(TSX) bench/search-quality.ts $(if $(CORPUS),--corpus "$(CORPUS)") $(if $(HOMES),--homes "$(HOMES)") $(ARGS)
	@$(TSX) bench/search.ts $(or $(ENTRIES),10000 100000 1000000)
	@$(TSX) bench/cold.ts $(or $(ENTRIES),10000 100000 1000000)
	@$(TSX) bench/embed.ts

bytes: setup ## bytes on disk an entry, table by table, of a closed database (FILE=memory.duckdb; ARGS=--rebuild writes it anew first)
	@$(TSX) bench/store-bytes.ts "$(FILE)" $(ARGS)

crash: build ## the long kill -9 run (ARGS="200 7": rounds, seed)
	@$(TSX) test/faults/crash.ts $(ARGS)

fuzz: setup ## histories in many orders for a time (ARGS="60 7": seconds, seed), then each law many times, that of spoilt logs too
	@$(TSX) test/fuzz/stories.ts $(ARGS)
	@$(TSX) test/fuzz/laws.ts

sabotage: setup ## break each promise in a copy, and see that a test notices (ARGS="page budget": words of promises)
	@$(TSX) test/sabotage/sabotage.ts $(ARGS)

test-engines: build ## other engines answer over exported Parquet files, from PyPI's packages (ARGS=FOLDER: where Python is kept)
	@$(TSX) test/engines/engines.ts $(ARGS)

clean: ## remove what was built
	rm -rf dist coverage dripstone-*.tgz
