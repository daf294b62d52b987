# Bare `make` prints the menu: every target with its words behind ##.
.DEFAULT_GOAL := help
.PHONY: help quick setup spark demo paper test slow oldest lint format types check bench bundled mutants lock clean

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
READY := $(VENV)/.ready
PIP_INSTALL := -m pip install -qq --disable-pip-version-check

# Times are compared on one BLAS thread; set here too, since a library reads these when it is loaded.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 BLIS_NUM_THREADS=1 VECLIB_MAXIMUM_THREADS=1

OLDEST := tests/contract/test_scikit_learn.py tests/contract/test_combinations.py tests/laws tests/rooms/estimators \
	tests/rooms/engines tests/rooms/test_tables.py tests/rooms/test_roles.py tests/rooms/test_moments.py tests/rooms/test_solve.py

help:
	@echo "twosdr: make <target>. Each target sets up what it needs by itself."
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  %-8s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

demo: $(READY) ## the main job, end to end: the disparity before and after, and the report as HTML
	@$(RUN) -m twosdr demo

paper: $(READY) ## every table and figure of the paper beside its numbers, into build/paper (ONLY="T3 T8"; TWOSDR_DATA for originals)
	@$(ONE_THREAD) $(RUN) -m twosdr.paper --jobs 2 --out build/paper --html build/paper/index.html $(if $(ONLY),--only $(ONLY))

test: $(READY) ## the tests, the doctests and the examples of the documents (minutes, no network)
	@$(RUN) -m pytest -n 2

slow: $(READY) ## the laws that take long
	@$(RUN) -m pytest -n 2 -m slow

lint: $(READY) ## ruff: lint and format, changing nothing
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .

format: $(READY) ## ruff: mend what can be mended
	@$(RUN) -m ruff format .
	@$(RUN) -m ruff check --fix .

types: $(READY) ## mypy, strict, on src
	@$(RUN) -m mypy

check: lint types test quick ## lint, types and test: what has to pass before a commit

quick: $(READY) ## the benchmarks of sources on small tables: fails where a bar is missed twofold
	@fresh=$$(mktemp -d) && trap 'rm -rf "$$fresh"' EXIT && \
	QUICK=1 $(ONE_THREAD) $(RUN) -m benchmarks streams growth --results "$$fresh/results.json"

bench: $(READY) ## the benchmarks, into benchmarks/results.json (ONLY="imports" for some)
	@$(ONE_THREAD) $(RUN) -m benchmarks $(ONLY)

bundled: $(READY) ## the bundled data files made anew from the wheels they come from, and compared (downloads the wheels)
	@$(RUN) tools/bundle_datasets.py --check

mutants: $(READY) ## mutation testing of the core (hours; ONLY="*_plausible*" for some)
	@$(RUN) tools/mutants.py $(ONLY)

setup: $(READY) ## the virtual environment, with the locked versions
	@echo "Ready: $(VENV)"

# Its tests are those of the core: estimators, moments, tables, roles, and scikit-learn's own checks.
oldest: $(VENV)-oldest/.ready ## the core with the oldest versions that pyproject.toml admits
	@$(VENV)-oldest/bin/python -m pytest -n 2 -p no:cacheprovider $(OLDEST)

$(VENV)-oldest/.ready: tools/oldest.py pyproject.toml
	@$(PYTHON) -m venv $(VENV)-oldest
	@$(PYTHON) tools/oldest.py > $(VENV)-oldest/pins.txt
	@$(VENV)-oldest/bin/python $(PIP_INSTALL) -r $(VENV)-oldest/pins.txt
	@$(VENV)-oldest/bin/python $(PIP_INSTALL) --no-deps --editable .
	@touch $@

# Apart from the rest: some 400 MB that only the Spark engine needs. Without it its tests skip and say so.
spark: $(VENV)/.spark ## PySpark, for the tests of the Spark engine (they also need Java 17)
	@echo "Ready: PySpark in $(VENV)"

$(VENV)/.spark: $(READY) requirements-spark.lock
	@$(RUN) $(PIP_INSTALL) -r requirements-spark.lock
	@touch $@

$(READY): requirements-dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "twosdr needs Python 3.11 or newer; $(PYTHON) is: $$($(PYTHON) --version 2>&1 || true)"; \
		echo "Install one, or name yours: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; } >&2
	@echo "Setting up $(VENV); the first time it takes a minute or two."
	@$(PYTHON) -m venv $(VENV)
	@$(RUN) $(PIP_INSTALL) -r requirements-dev.lock
	@$(RUN) $(PIP_INSTALL) --no-deps --editable .
	@touch $@

# Through a file of its own: a failed installation must leave the old lock as it was.
lock: ## newest versions of everything, into requirements-dev.lock
	@fresh=$$(mktemp -d) && trap 'rm -rf "$$fresh"' EXIT && set -e && \
	$(PYTHON) -m venv "$$fresh" && \
	"$$fresh/bin/python" $(PIP_INSTALL) '.[dev]' && \
	{ echo "# Exact versions of twosdr[dev]; written by make lock."; \
	  "$$fresh/bin/python" -m pip freeze --disable-pip-version-check --exclude twosdr; } > "$$fresh/lock" && \
	cp "$$fresh/lock" requirements-dev.lock && \
	echo "requirements-dev.lock: $$(grep -c == requirements-dev.lock) packages"

clean: ## removes what can be made again: the environment, caches, builds
	@rm -rf $(VENV) $(VENV)-oldest build dist .pytest_cache .hypothesis .mypy_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
