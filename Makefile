# Everything here needs only make and Python 3.11 or newer, the Java tests Debian's packages; `make help` lists the targets.

PYTHON ?= python3
PYENV_ROOT ?= $(HOME)/.pyenv
PYTHONS ?= python3.11 python3.12 python3.13 $(wildcard $(PYENV_ROOT)/versions/3.1[123].*/bin/python)
WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/bin
DEMO := build/demo
SOURCES := pyproject.toml README.md src/everypath/__init__.py

.PHONY: help demo java browser test test-slow test-all bench bench-modules format clean

help:
	@echo "make demo       install, generate tests for examples/bounded_stack.py, run and show them"
	@echo "make java       get JUnit, and a JDK where there is none, for the Java tests"
	@echo "make browser    get a browser and what drives it, for the tests of pages"
	@echo "make test       lint, types and the fast tests"
	@echo "make test-slow  the slow tests"
	@echo "make test-all   the fast tests on every Python of PYTHONS that is installed"
	@echo "make bench      speed of the engine, beside the papers, and other tools where installed"
	@echo "make bench-modules  coverage of real modules, and whether their tests hold when repeated; takes an hour"
	@echo "make format     format and fix what can be fixed"
	@echo "make clean      remove everything that make made"

$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; set PYTHON=...") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/demo-installed: $(VENV)/made $(SOURCES)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . "pytest>=8"
	$(BIN)/python -m compileall -q src
	@touch $@

$(VENV)/test-installed: $(VENV)/made $(SOURCES)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	$(BIN)/python -m compileall -q src
	@touch $@ $(VENV)/demo-installed

demo: $(VENV)/demo-installed
	@rm -rf $(DEMO) && mkdir -p $(DEMO)
	@# Exit code 1 only says that something worth a look was found.
	$(BIN)/everypath generate examples/bounded_stack.py -o $(DEMO)/test_bounded_stack.py || [ $$? -eq 1 ]
	@cat $(DEMO)/test_bounded_stack.py
	PYTHONPATH=examples $(BIN)/python -m pytest -q -p no:cacheprovider -c /dev/null --rootdir $(DEMO) $(DEMO)/test_bounded_stack.py

# What the Java tests need and this machine lacks; a line says so where it cannot be had.
java: $(VENV)/made
	@$(BIN)/python tests/languages/java/provide.py build/java

# What the tests of pages need: Chromium, and two packages of npm; a line says so where they cannot be had.
browser: $(VENV)/made
	@$(BIN)/python tests/report/provide.py

test: $(VENV)/test-installed java browser
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "not slow"

test-slow: $(VENV)/test-installed java
	$(BIN)/python -m pytest -m slow

test-all: java
	@found=; for python in $(PYTHONS); do \
		name=$$($$python -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) \
			|| continue; \
		case "$$found " in *" $$name "*) continue;; esac; \
		echo "== Python $$name"; \
		$(MAKE) --no-print-directory .venv-$$name/test-installed VERSION_PYTHON=$$python || exit 1; \
		.venv-$$name/bin/python -m pytest -n $(WORKERS) --dist loadfile -m "not slow" || exit 1; \
		found="$$found $$name"; \
	done; \
	[ -n "$$found" ] || { echo "none of these runs: $(PYTHONS)"; exit 1; }; \
	echo "passed on:$$found"

.venv-%/test-installed: $(SOURCES)
	[ -x .venv-$*/bin/python ] || $(VERSION_PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	@touch $@

bench: $(VENV)/test-installed
	@# An editable install is compiled as it was when installed; here every millisecond is measured.
	$(BIN)/python -m compileall -q src
	$(BIN)/python benchmarks/bench.py

bench-modules: $(VENV)/test-installed
	cd benchmarks && ../$(BIN)/python -m modules.compare --keep ../build/modules/kept
	cd benchmarks && ../$(BIN)/python -m modules.obstacles ../build/modules/kept
	cd benchmarks && ../$(BIN)/python -m modules.repeat ../build/modules/kept

format: $(VENV)/test-installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) .venv-* build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
