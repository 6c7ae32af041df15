# Everything runs in .venv, which is made on first use and again when pyproject.toml changes.
# Another interpreter: make demo PYTHON=/path/to/python3.12

.DEFAULT_GOAL := help
.PHONY: help venv demo checks test test-system test-lowest test-pythons torture mutate bench docs artifacts address clean

PYTHON ?= python3
VENV := .venv
PIP := $(VENV)/bin/python -m pip --quiet --disable-pip-version-check

# Only the default may be replaced by a newer interpreter; one that was asked for is taken or refused.
ifeq ($(origin PYTHON),file)
CANDIDATES := $(PYTHON) python3.13 python3.12 python3.11
else
CANDIDATES := $(PYTHON)
endif

help:
	@echo "make demo    find word senses in the bundled text (installs what it needs into $(VENV))"
	@echo "make venv    $(VENV) with everything for development"
	@echo "make test    lint, format, types, import layers and the tests of a few minutes: before every commit"
	@echo "make test-system  the other tests: browser, cluster, kills, pages, damage, CUDA kernels on the CPU"
	@echo "make checks  lint, format, types and import layers alone"
	@echo "make test-lowest  tests with the oldest versions that are declared, extras included"
	@echo "make torture the long run of bad inputs and damaged folders (TORTURE=40 times as many)"
	@echo "make mutate  faults in the code that decides, and which of them no test notices"
	@echo "make bench   run the benchmarks, and show what differs from the last commit (BEFORE=v0.1.0)"
	@echo "make docs    build the documentation into site/"
	@echo "make artifacts  wheels and source archives in dist/, tried in an empty environment"
	@echo "make test-pythons  unit tests on every Python from 3.11 on that is here"
	@echo "make address ADDRESS=https://...  set the address of the project wherever it stands"
	@echo "make clean   remove everything that make has made"

$(VENV)/bin/python:
	@found=; \
	for candidate in $(CANDIDATES); do \
	  if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    found=$$candidate; break; \
	  fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "grassmeans needs Python 3.11 or newer; tried: $(CANDIDATES)." >&2; \
	  echo "Install one, or name it: make PYTHON=/path/to/python3.12" >&2; \
	  exit 1; \
	fi; \
	echo "Making $(VENV) with $$found"; \
	"$$found" -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/core.stamp: pyproject.toml $(wildcard packages/*/pyproject.toml) | $(VENV)/bin/python
	@echo "Installing grassmeans into $(VENV) (a minute or two on first use)"
	@$(PIP) install -e . -e packages/en -e packages/explorer
	@touch $@

$(VENV)/dev.stamp: pyproject.toml $(wildcard packages/*/pyproject.toml) | $(VENV)/bin/python
	@echo "Installing grassmeans and its development tools into $(VENV) (a few minutes on first use)"
	@$(PIP) install -e '.[dev]' -e packages/en -e packages/es -e packages/de -e packages/explorer -e packages/lab
	@touch $(VENV)/core.stamp $@

$(VENV)/docs.stamp: pyproject.toml $(wildcard packages/*/pyproject.toml) | $(VENV)/bin/python
	@echo "Installing the documentation tools into $(VENV)"
	@$(PIP) install -e '.[docs]' -e packages/en -e packages/es -e packages/de -e packages/explorer -e packages/lab
	@touch $(VENV)/core.stamp $@

venv: $(VENV)/dev.stamp

demo: $(VENV)/core.stamp
	@$(VENV)/bin/grassmeans demo --overwrite
	@echo "# and the English model of the package, on two sentences:"
	@echo "She asked the bank for a loan. Then we sat on the bank of the river." | \
		$(VENV)/bin/grassmeans tag en --word bank
	@$(VENV)/bin/grassmeans show en bank --examples 1
	@echo "# grassmeans is in $(VENV)/bin (. $(VENV)/bin/activate); senses in a browser:"
	@echo "$(VENV)/bin/grassmeans explore"

RUN_CHECKS = failed=0; for check in "ruff check ." "ruff format --check ." mypy lint-imports; do \
	  echo "== $$check"; $(VENV)/bin/$$check || failed=1; \
	done; exit $$failed
checks: $(VENV)/dev.stamp
	@$(RUN_CHECKS)

# Between them the two commands run every test: those marked `system`, as all in folders of that name
# are (tests/conftest.py), and the others. The checks run beside the tests and are told at the end.
# Neighbours stay together (worksteal), so that the fixtures of a file are made once.
# Two workers are two cores: libraries that start as many threads in each only wait for each other.
ONE_THREAD = OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 OMP_WAIT_POLICY=PASSIVE
PYTEST = $(ONE_THREAD) $(VENV)/bin/python -m pytest -n 2 --dist worksteal
NO_SYSTEM = -m "not system" --ignore=tests/system --ignore=tests/explorer/system --ignore=tests/lab/system -p no:schemathesis
test: $(VENV)/dev.stamp
	@log=$$(mktemp); ( $(RUN_CHECKS) ) >"$$log" 2>&1 & checks=$$!; failed=0; \
	$(PYTEST) $(NO_SYSTEM) || failed=1; \
	wait $$checks || failed=1; cat "$$log"; rm -f "$$log"; exit $$failed

test-system: $(VENV)/dev.stamp
	$(PYTEST) -m system --durations=25 --durations-min=5

# The oldest versions come for old interpreters: PYTHON=python3.11 where another one is the default.
LOWEST := $(VENV)-lowest
# PyTorch (gigabytes) is tested when it is asked for: LOWEST_EXTRAS=all,encoder
LOWEST_EXTRAS ?= all
LOWEST_TESTS = tests/system/test_cli.py tests/unit/geometry tests/unit/terminal
LOWEST_TESTS += tests/unit/test_progress.py tests/unit/outputs tests/unit/vectors
LOWEST_TESTS += tests/unit/corpus tests/unit/reading tests/unit/text tests/explorer/unit tests/explorer/system/test_api.py
LOWEST_TESTS += tests/unit/labelling/test_export.py tests/unit/integrations
LOWEST_TESTS += tests/system/test_integration_docs.py tests/unit/contexts
LOWEST_TESTS += tests/lab/unit/experiments/test_drawing.py
LOWEST_TESTS += tests/unit/engines tests/system/test_cluster.py
test-lowest:
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet -c constraints/lowest.txt -e '.[$(LOWEST_EXTRAS)]' \
	  -e packages/en -e packages/es -e packages/de -e 'packages/explorer[rdf]' -e packages/lab \
	  pytest hypothesis packaging httpx
	$(LOWEST)/bin/python -m pytest $(LOWEST_TESTS)

# Tests that make up their own damage; they read TORTURE and do so many times more than without it.
TORTURE ?= 40
TORTURES = tests/property/test_damaged_artifacts.py tests/system/test_damaged_artifacts.py
TORTURES += tests/explorer/system/test_description.py tests/system/test_kills.py
TORTURES += tests/system/test_boundaries.py tests/system/test_several_hosts.py
torture: $(VENV)/dev.stamp
	TORTURE=$(TORTURE) $(PYTEST) $(TORTURES)

# mutmut plants faults one by one and runs the tests that reach them; pyproject.toml says where. One
# module: make mutate MUTATE=senses.merging. A fault: $(MUTATION)/bin/mutmut show NAME
MUTATION := $(VENV)-mutation
MUTATE ?= *
MUTATE_WORKERS ?= 2
$(MUTATION)/mutation.stamp: pyproject.toml
	$(PYTHON) -m venv $(MUTATION)
	$(MUTATION)/bin/python -m pip install --quiet -e '.[mutation]'
	@touch $@
mutate: $(MUTATION)/mutation.stamp
	$(MUTATION)/bin/mutmut run --max-children $(MUTATE_WORKERS) 'grassmeans.$(MUTATE).*'
	@$(MUTATION)/bin/mutmut results | grep -v 'not checked' || true

# One of them: make bench BENCHMARKS=benchmarks/bench_something.py. At the end their numbers stand beside
# those of the last commit, or of another one: make bench BEFORE=v0.1.0
BEFORE ?= HEAD
BENCHMARKS = $(sort $(wildcard benchmarks/bench_*.py))
bench: $(VENV)/dev.stamp
	@if [ -z "$(BENCHMARKS)" ]; then echo "there is no benchmarks/bench_*.py" >&2; exit 1; fi
	@set -e; for script in $(BENCHMARKS); do echo "== $$script"; $(VENV)/bin/python "$$script"; done
	@$(VENV)/bin/python benchmarks/compare_results.py $(BEFORE)

docs: $(VENV)/docs.stamp
	$(VENV)/bin/mkdocs build --strict

# Builds in environments of its own, as who publishes it would; what is in dist/ is replaced.
RELEASE := $(VENV)-release
artifacts:
	@[ -x $(RELEASE)/bin/twine ] || { $(PYTHON) -m venv $(RELEASE) && \
	  $(RELEASE)/bin/python -m pip --quiet --disable-pip-version-check install build twine; }
	@$(RELEASE)/bin/python release/artifacts.py

# Tests of the core on other interpreters, each in an environment of its own, without those of TESTED
# versions. Others than those that are found: make test-pythons PYTHONS="/path/to/python3.14"
PYTHONS ?= $(wildcard $(foreach n,11 12 13 14,/usr/bin/python3.$(n) /usr/local/bin/python3.$(n) $(HOME)/.pyenv/versions/3.$(n).*/bin/python))
PYTHON_TESTS ?= tests/unit tests/property
TESTED ?=
test-pythons:
	@echo "Interpreters that are here: $(or $(PYTHONS),none)"; \
	failed=0; tested="$(TESTED)"; for python in $(PYTHONS); do \
	  version=$$("$$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])') || continue; \
	  case " $$tested " in *" $$version "*) echo "== Python $$version ($$python): tested already"; continue;; esac; \
	  tested="$$tested $$version"; echo "== Python $$version ($$python)"; \
	  [ -x $(VENV)-$$version/bin/pytest ] || { "$$python" -m venv $(VENV)-$$version && \
	    $(VENV)-$$version/bin/python -m pip --quiet --disable-pip-version-check install --no-compile \
	      -e . -e packages/en -e packages/es -e packages/de -e packages/explorer -e packages/lab \
	      pytest pytest-xdist hypothesis packaging httpx jsonschema hatchling; } || { failed=1; continue; }; \
	  $(ONE_THREAD) $(VENV)-$$version/bin/python -m pytest -q -n 2 -m "not system" $(PYTHON_TESTS) || failed=1; \
	done; exit $$failed

# The one place that says where the project is; until it is set, it leads nowhere (example.org).
ADDRESSED = pyproject.toml $(wildcard packages/*/pyproject.toml) CITATION.cff SECURITY.md .github/ISSUE_TEMPLATE/config.yml
address:
	@[ -n "$(ADDRESS)" ] || { echo "make address ADDRESS=https://HOST/OWNER/NAME" >&2; exit 2; }
	@old=$$(sed -n 's/^Source = "\(.*\)"/\1/p' pyproject.toml); \
	for file in $(ADDRESSED); do \
	  sed "s#$$old#$(ADDRESS)#g" $$file >$$file.new && mv $$file.new $$file || exit 1; \
	done; echo "$$old is $(ADDRESS) now, in: $(ADDRESSED)"

clean:
	rm -rf $(VENV) $(VENV)-lowest $(VENV)-mutation $(VENV)-release $(VENV)-3.* mutants build dist site demo-output grassmeans-demo-senses.html .coverage
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src packages tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
