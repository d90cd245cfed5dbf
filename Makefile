# `make demo` shows libsched, `make test` tests it, and `make help` lists the other targets.
#
# The targets are a thin layer: packaging/setup.sh installs, CMake presets build, tests/run tests.
.DEFAULT_GOAL := help
SHELL := /bin/bash
JOBS ?= $(shell nproc)
PYTHON := .venv/bin/python
# .venv comes first in PATH: setup installs a Go there only if the system's is too old.
export PATH := $(CURDIR)/.venv/bin:$(PATH)
export GOTOOLCHAIN := local

.PHONY: help setup build static python wheel deb release demo docs test fuzz conformance autoscaler bench format lint install uninstall clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Install what building and testing need: Debian packages, .venv, Go
	@packaging/setup.sh

build: setup ## Build the release library and its tests into build/release
	@packaging/build.sh release

static: setup ## Build libsched.a into build/static/gnu, or with LIBC=musl into build/static/musl (takes minutes)
	@packaging/setup.sh tests:static $(if $(filter musl,$(LIBC)),musl)
	@packaging/static/$(or $(LIBC),gnu).sh

python: ## Build the library; install the Python package and command line into .venv
	@packaging/setup.sh system python
	@packaging/install_python.sh

demo: python ## Which nodes of an example cluster take these pods, and why don't the others?
	@examples/demo.sh

wheel: setup ## Build wheels that need nothing but Python and an old glibc: build/wheels (PYTHONS="python3.12": others than .venv's)
	@packaging/wheel.sh $(PYTHONS)

deb: setup ## Build Debian packages in roots of Debian 12 and 13: build/debs (as root; CODENAMES=trixie: that release alone)
	@packaging/deb.sh $(CODENAMES)

release: setup ## Make sources, wheels, Debian packages, SBOM and checksums: dist (as root; ARGS=--check: twice, and compare the bytes)
	@packaging/release.sh $(ARGS)

docs: setup python ## Write the documentation site: build/docs/index.html
	@packaging/setup.sh docs
	@cd docs && ../$(PYTHON) -m manual

test: ## Run every test of every language (PART=name: one part, PART=list: their names)
	@packaging/setup.sh system python tests:$(or $(PART),all) $(filter musl release,$(PART:reproducible=release)) \
	  $(if $(filter libcxx aarch64 s390x,$(PART)),musl)
	@tests/run $(PART)

fuzz: setup ## Fuzz with a new seed (FUZZ_SECONDS=600: time per fuzzer, FUZZ_SEED=7: the seed again)
	@FUZZ_SEED=$${FUZZ_SEED:-$$(date +%s)} FUZZ_SECONDS=$${FUZZ_SECONDS:-120} tests/run fuzz

# The release that ARGS asks for, if any.
RELEASE = $(patsubst --release=%,%,$(filter --release=%,$(subst --release ,--release=,$(strip $(ARGS)))))

conformance: setup python ## Compare with the real upstream framework on fresh cases (ARGS="--seeds 50", ARGS="--release 1.31")
	@echo "building the oracle (the first time takes minutes)" >&2
	@tests/oracle/build.sh $(sort 1.36 $(RELEASE))
	@packaging/build.sh release libsched_cycles
	@$(PYTHON) tests/conformance/conformance.py --oracle build/oracle/oracle \
	  --libsched .venv/bin/libsched $(ARGS)

autoscaler: setup ## Ask upstream and libsched as an autoscaler does (ARGS="-run Differential -seed 7"; first time: minutes)
	@packaging/build.sh release libsched
	@cd tests/autoscaler/reference && go test -tags=libsched_repo,libsched $(ARGS) .

bench: setup ## Measure against the hardware's limit and upstream: a table, a page (ARGS=--quick; ARGS="--only scale --json FILE")
	@$(PYTHON) tests/bench/run.py $(ARGS)

format: setup ## Format C, C++ and Go sources
	@git ls-files -co --exclude-standard '*.h' '*.hpp' '*.c' '*.cpp' | xargs -r clang-format-19 -i
	@cd go && gofmt -l -w .

lint: setup ## clang-tidy over the library (build/dev)
	@packaging/build.sh dev
	@git ls-files 'libsched/*.cpp' 'capi/*.cpp' | grep -v _test.cpp | \
	  xargs -r -P $(JOBS) -n 4 clang-tidy-19 --quiet -p build/dev

install: ## Install library, headers and, if Python is there, the command line (PREFIX=/usr/local, DESTDIR=)
	@packaging/setup.sh system
	@packaging/setup.sh python || true
	@packaging/install.sh

uninstall: ## Remove what `make install` has installed (PREFIX=/usr/local, DESTDIR=)
	@packaging/install.sh --uninstall

clean: ## Remove build/ and .venv
	@rm -rf build .venv
