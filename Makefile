# `make run` measures and shows the answer, `make test` tests, `make dist` builds a wheel with the runners inside. Each target first
# sets up what it needs.
PYTHON ?= python3
VENV := .venv
STAMP := $(VENV)/installed
# Tests start many processes: let them share compiled bytecode.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run venv test test-all test-units test-wholes lint setup dist site bench clean

run: setup
	@$(VENV)/bin/iogauge run quick

# `make test` leaves out the tests marked `long`; `make test-all` runs all tests.
test-all: TESTED :=
test test-all: TESTED ?= and not long
test test-all: $(STAMP)
	@# Builds of Go share their compiled packages only if this folder exists.
	@mkdir -p "$$(go env GOCACHE 2>/dev/null)" 2>/dev/null || true
	@$(MAKE) --no-print-directory -j3 lint setup test-units TESTED='$(TESTED)'
	@$(MAKE) --no-print-directory test-wholes TESTED='$(TESTED)'

# Unit tests need no runner, so they run while `setup` builds the runners.
test-units: TESTED ?= and not long
test-units: $(STAMP)
	@$(VENV)/bin/python -m pytest -n 2 -m "not alone $(TESTED)" tests/unit tests/test_*.py

# Tests marked `alone` judge times or the device, so they run last, one by one. The others run in three processes, because some only
# wait; a process gets neighbouring tests, which share fixtures, and takes more from another one when it is done.
test-wholes: TESTED ?= and not long
test-wholes: setup
	@$(VENV)/bin/python -m pytest -n 3 --dist worksteal -m "not alone $(TESTED)" tests/anywhere tests/conformance tests/e2e
	@$(VENV)/bin/python -m pytest -m "alone $(TESTED)" tests/e2e

lint: $(STAMP)
	@$(VENV)/bin/ruff format --quiet --diff .
	@$(VENV)/bin/ruff check --quiet .
	@said=$$($(VENV)/bin/lint-imports --no-logo --no-cache) || { echo "$$said"; exit 1; }
	@$(VENV)/bin/mypy --no-error-summary

# Only the Python packages. Commands build the runners that they need on first use.
venv: $(STAMP)

setup: $(STAMP)
	@$(VENV)/bin/python -m iogauge.runners

dist: $(STAMP)
	@$(VENV)/bin/python packaging/dist.py $(if $(MACHINE),--machine $(MACHINE))

# The documents, in build/site. A dead link ends it. URL is where it will be found, for its sitemap and its page for lost readers.
site: $(STAMP)
	@$(VENV)/bin/python packaging/site.py $(if $(URL),--url $(URL))

bench: setup
	@$(VENV)/bin/python benchmarks/run.py
	@rm -f $(VENV)/ceilings.jsonl
	@printf '\n## Are the ceilings high enough?\n\n'
	@$(VENV)/bin/python benchmarks/ceilings.py --rounds 5 --ledger $(VENV)/ceilings.jsonl

# Pinned with hashes: nothing is fetched that the lock file does not name. Editable, so changed sources need no reinstallation.
$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "iogauge needs Python 3.11 or newer; $(PYTHON) is `$(PYTHON) --version 2>&1` (make PYTHON=/path/to/python3)" >&2; exit 2; }
	@$(PYTHON) -m venv --clear $(VENV) || \
	  { echo "iogauge needs Python's venv module: install it (Debian: apt-get install python3-venv)" >&2; exit 2; }
	@echo "setting up $(VENV) (once)"
	@$(VENV)/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes --requirement requirements.lock
	@$(VENV)/bin/python -m pip --disable-pip-version-check install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

clean:
	@rm -rf $(VENV)
