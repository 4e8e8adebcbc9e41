# Everything runs in one virtual environment, .venv. It grows in layers, each behind a stamp that is as new as its lock:
#   core   what `make validate` needs            requirements.txt
#   site   MkDocs and the theme on top of that   requirements-site.txt
#   drift  an HTTP client on top of core         requirements-drift.txt
#   dev    tests, linter and types on top        requirements-dev.txt
# Beside it stands .venv-oracle, with PyTorch and transformers, for `make oracle` alone.
# Set-up is a part of every target and costs nothing when the locks have not changed.

PYTHON ?= python3
ARGS ?=
SEED := $(or $(SEED),$(shell od -An -N4 -tu4 /dev/urandom | tr -d ' '))

VENV := .venv
BIN := $(VENV)/bin
ORACLE := .venv-oracle
INSTALL := $(BIN)/python -m pip install --quiet --quiet
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# The theme prints a notice about its own end in 2027 at every build. We know: the plugin is a thin skin for that reason.
export NO_MKDOCS_2_WARNING := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help site serve validate drift test search lint fix bench oracle ci lock clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo 'ARGS="..." goes on to the tool of validate, site, serve and test: make test ARGS="-k citations -x"'

site: $(VENV)/.site ## validate, then build the site into site/
	$(BIN)/servebook validate
	$(BIN)/servebook build $(ARGS)

serve: $(VENV)/.site ## live preview on this machine
	$(BIN)/servebook serve $(ARGS)

validate: $(VENV)/.core ## check every record and source, offline (make validate ARGS=--strict)
	$(BIN)/servebook validate $(ARGS)

drift: $(VENV)/.drift ## what the documents of sources say today (make drift ARGS="--since 7d"); the only target that asks hosts
	$(BIN)/servebook drift $(ARGS)

test: $(VENV)/.dev ## run the tests, those in a real Chromium and an editor's language server included
	@.ci/chromium
	@.ci/npm
	$(BIN)/python -m pytest -n auto --dist loadfile $(ARGS)

search: $(VENV)/.dev ## the property tests with a fresh seed, which is printed (make search SEED=... repeats it)
	@echo 'seed $(SEED): make search SEED=$(SEED) repeats this'
	$(BIN)/python -m pytest -m hypothesis --hypothesis-profile=search --hypothesis-seed=$(SEED) -n auto $(ARGS)

lint: $(VENV)/.dev ## ruff, mypy, the layout of the schemas and the workflows, changing nothing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	.ci/schemas --check
	$(BIN)/servebook schema --check
	$(BIN)/mypy
	@.ci/npm
	.ci/workflows

fix: $(VENV)/.dev ## what ruff can put right by itself, and the formatting
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	.ci/schemas
	$(BIN)/servebook schema

bench: $(VENV)/.dev ## what the generator costs, as ratios to a named peer
	$(BIN)/python tests/benchmarks

fuzz: $(VENV)/.fuzz ## mutate records and configs for some minutes; prints the seed (make fuzz ARGS="--seconds 600 --seed 1")
	$(BIN)/python -m tests.fuzz $(ARGS)

oracle: $(ORACLE)/.made ## hold the formulas to the caches of real models in transformers
	$(ORACLE)/bin/python -m pytest --confcutdir=tests/oracle tests/oracle -p no:cacheprovider -W ignore::FutureWarning $(ARGS)

ci: ## all that must hold before a merge
	.ci/run

clean: ## remove the environment, the built site and all caches
	rm -rf $(VENV) $(ORACLE) tests/npm/node_modules site dist build
	rm -rf .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find generator tests -type d -name __pycache__ -prune -exec rm -rf {} +

# --- set-up -----------------------------------------------------------------------------------------------------------

$(VENV)/.made:
	@command -v $(PYTHON) >/dev/null || { \
	  echo 'make: no $(PYTHON) here; install Python 3.11 or newer, or name one: make PYTHON=/path/to/python' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "make: Servebook needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) --version 2>&1);" \
	       'name a newer one: make PYTHON=python3.12' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo 'make: $(PYTHON) has no venv module (on Debian and Ubuntu: apt-get install python3-venv)' >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/.core: requirements.txt pyproject.toml $(VENV)/.made
	$(INSTALL) --require-hashes -r requirements.txt
	$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.site: requirements-site.txt $(VENV)/.core
	$(INSTALL) --require-hashes -r requirements-site.txt
	@touch $@

$(VENV)/.drift: requirements-drift.txt $(VENV)/.core
	$(INSTALL) --require-hashes -r requirements-drift.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.site
	$(INSTALL) --require-hashes -r requirements-dev.txt
	@touch $@

# Atheris is built for Linux, each release for some versions of Python: where there is none, what it attacks is skipped.
$(VENV)/.fuzz: requirements-fuzz.txt $(VENV)/.dev
	@$(INSTALL) --require-hashes --only-binary :all: -r requirements-fuzz.txt || \
	  echo 'make: no atheris for this machine; the attack on the parsers is skipped' >&2
	@touch $@

# All by hash but PyTorch: of one version there are builds for processors and for graphics cards, so that no hash holds
# everywhere. The one for processors will do; where pip finds no other, it takes the large one.
$(ORACLE)/.made: requirements-oracle.txt pyproject.toml $(VENV)/.made
	$(PYTHON) -m venv --clear $(ORACLE)
	$(ORACLE)/bin/python -m pip install --quiet --quiet --require-hashes -r requirements-oracle.txt
	$(ORACLE)/bin/python -m pip install --quiet --quiet --no-build-isolation -e '.[oracle]'
	@touch $@

# --- locks ------------------------------------------------------------------------------------------------------------

# The dev lock holds everything; the two smaller ones take their versions from it, so that the layers never disagree.
# Versions only move when asked: make lock ARGS=--upgrade, or ARGS='--upgrade-package mkdocs-material'.
COMPILE := uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes \
           --annotation-style line --custom-compile-command 'make lock' --group build

lock: ## write the locks from pyproject.toml (needs uv)
	@command -v uv >/dev/null || { echo 'make: the locks are written by uv (pkg:pypi/uv), which is not here' >&2; exit 1; }
	$(COMPILE) --extra site --extra drift --extra test --extra lint -o requirements-dev.txt $(ARGS)
	$(COMPILE) --extra site -c requirements-dev.txt -o requirements-site.txt
	$(COMPILE) --extra drift -c requirements-dev.txt -o requirements-drift.txt
	$(COMPILE) -c requirements-dev.txt -o requirements.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --custom-compile-command 'make lock' \
	  --group fuzz -o requirements-fuzz.txt
	$(COMPILE) --extra oracle-library -c requirements-dev.txt -o requirements-oracle.txt
