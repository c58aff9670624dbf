# `make check` is what CI runs. Every part can be run alone; none changes a file, except `format`.

PYTHON ?= python
JOBS ?= auto

.PHONY: check conformance format lint types layers sizes errors runtime sanitize test quick golden docs

check: lint types layers sizes errors runtime test

format:  ## Rewrite the sources in the house style.
	$(PYTHON) -m ruff format .
	$(PYTHON) -m ruff check --fix-only --quiet .

lint:  ## Formatting and the rules of pyproject.toml.
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m ruff check .

types:  ## Strict over relay/, standard elsewhere.
	$(PYTHON) -m basedpyright --pythonpath "$$($(PYTHON) -c 'import sys; print(sys.executable)')"

layers:  ## The rooms of docs/architecture.md.
	$(PYTHON) -c 'from importlinter.cli import lint_imports_command as run; run()' --no-cache --no-logo

sizes:  ## Lengths of files and functions.
	$(PYTHON) tools/sizes.py

errors:  ## Every error code is explained and tested; relay/cli/errors.md is up to date.
	$(PYTHON) tools/errors.py --check

runtime:  ## The LLVM text of the C runtime is up to date.
	$(PYTHON) tools/c_runtime.py --check

sanitize:  ## The C runtime under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer.
	$(PYTHON) -m pytest -q -m "slow or not slow" tests/runtime/c

docs:  ## Assemble relay/cli/errors.md.
	$(PYTHON) tools/errors.py

test:  ## All tests, doctests and documentation blocks included.
	$(PYTHON) -m pytest -q -n $(JOBS)

conformance:  ## What needs other frameworks, other Pythons or hours; writes docs/conformance.md.
	$(PYTHON) tools/conformance.py

quick:  ## The tests that take no longer than a coffee.
	$(PYTHON) -m pytest -q -x -m "not slow and not network" -n $(JOBS)

golden:  ## Accept what the golden tests print now; read the diff before committing it.
	$(PYTHON) -m pytest -q --update-golden
