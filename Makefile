# `make demo` and `make test` are all a newcomer needs; both set everything up first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
STAMP := $(VENV)/.installed
DOCS_STAMP := $(VENV)/.installed-docs
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable

PYTEST := $(BIN)/pytest --quiet -n 2 --dist worksteal
# Some images forbid bytecode: then every run and every process that a test starts would parse all sources anew.
unexport PYTHONDONTWRITEBYTECODE
SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

.PHONY: setup demo test quick test-all lint typecheck unit kernels kernels-python kernels-bounds mutations fuzz bench docs constraints clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed; try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) '.[dev]'
	touch $@

$(DOCS_STAMP): $(STAMP)
	$(INSTALL) '.[dev,docs]'
	touch $@

demo: setup
	$(BIN)/orderspn demo

# What a change must pass. Types and the passes of the kernels take one core each: two of them at once.
test: setup
	@$(MAKE) --no-print-directory --jobs 2 $(SYNC) kernels-python lint typecheck kernels-bounds
	@$(MAKE) --no-print-directory unit

# What to run between two edits.
quick: setup
	$(PYTEST) --level quick

# Everything: long statistical tests, all combinations, all pages of the documentation.
test-all: lint typecheck kernels
	$(PYTEST) --level all

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

typecheck: setup
	$(BIN)/mypy

unit: setup
	$(PYTEST)

KERNEL_TESTS = $(shell grep -rlw kernels --include 'test_*.py' tests)

# The kernels once more, with small inputs: as plain Python, where every kernel must be called, and with checked bounds.
kernels: kernels-python kernels-bounds

kernels-python: setup
	NUMBA_DISABLE_JIT=1 PYTHONPATH=tests $(BIN)/pytest --quiet --level quick -m kernels -p kernel_calls $(KERNEL_TESTS)

kernels-bounds: setup
	NUMBA_BOUNDSCHECK=1 $(BIN)/pytest --quiet --level quick -m kernels $(KERNEL_TESTS)

# Faults, one at a time in a copy of the sources; a table of the tests that find them.
mutations: setup
	PYTHONPATH=tests $(BIN)/python -m mutations

# Ten thousand changed files; a table of how each kind of them ended.
fuzz: setup
	PYTHONPATH=tests $(BIN)/python -m fuzz --cases 10000

# The package with the oldest versions that pyproject.toml allows; needs a Python for which these were made, 3.11.
.PHONY: lowest
lowest:
	$(PYTHON) -m venv $(LOWEST)
	$(PYTHON) tests/lowest_versions.py pins > $(LOWEST)/pins.txt
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $(LOWEST)/pins.txt --editable .
	$(LOWEST)/bin/python tests/lowest_versions.py

# The wheel and the sdist that a release publishes, in dist.
.PHONY: build
build: setup
	rm -rf dist
	$(BIN)/python -m build

# The wheel in a fresh environment without the source, alone and with each extra; with DIST=dist that of `make build`.
.PHONY: clean-room
clean-room: setup
	ORDERSPN_DIST=$(DIST) $(BIN)/pytest --quiet --level all tests/release

bench: setup
	$(BIN)/python -m benchmarks.run

# Whether a few quick cases are still as many times faster than NumPy alone as when benchmarks/ratios.json was written.
.PHONY: bench-check
bench-check: setup
	$(BIN)/python -m benchmarks.check

# The pages, with all of their code run; an error or a warning stops it.
docs: $(DOCS_STAMP)
	$(BIN)/sphinx-build -W --keep-going --quiet --builder html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

# The program of the explorer's pages, from web/ into one file that is committed. Only this needs Node.
.PHONY: explorer
explorer:
	cd web && npm ci --silent && node build.mjs

# The pictures of the explorer in README and pages, from the real thing. Needs Chromium.
.PHONY: pictures
pictures: setup
	$(BIN)/python -m benchmarks.explorer.pictures

# The exact versions that tests and pages run with, renewed from the lower bounds of pyproject.toml.
constraints: $(DOCS_STAMP)
	$(BIN)/python -m pip freeze --exclude-editable > constraints.txt

clean:
	rm -rf $(VENV) $(LOWEST) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist demo-output docs/_build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The field's methods, each in an environment of its own in .peers, and the study that compares them (docs/peers.md).
.PHONY: peers peers-study
peers: setup
	$(BIN)/python -m benchmarks.peers.environments

peers-study: peers
	$(BIN)/python -m benchmarks.peers.run
