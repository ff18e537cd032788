# A fresh machine needs Python 3.11, make and the package index, nothing else.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
SOURCES := harness tests

# No tool looks for a newer version of itself.
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

.DEFAULT_GOAL := all
.PHONY: all setup lint format types imports suite exam test mutants eval long bench publish calibrate cassettes lock clean help

all: lint types imports suite test ## lint, types, imports, suite and test: what a change must pass (the default)

setup: .venv/installed ## make .venv from requirements-dev.lock, with the harness installed in place

# The stamps lie inside .venv, so that deleting it starts over.
.venv/locked: requirements-dev.lock
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --require-hashes --requirement requirements-dev.lock
	touch $@

.venv/installed: .venv/locked pyproject.toml
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

lint: setup ## ruff: rules, then formatting; changes nothing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: setup ## ruff: repair what it can and format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: setup ## pyright, strict, over harness and tests
	$(BIN)/pyright

imports: setup ## import-linter: imports point down the layers of pyproject.toml
	$(BIN)/lint-imports

suite: setup ## harness lint, what the suite is worth, a part of the exam: scenarios, prompts and graders keep their clauses
	$(BIN)/harness lint
	$(BIN)/harness list scenarios --quality
	$(BIN)/harness exam --sample 1

exam: setup ## the whole exam of the graders, and docs/reference/exam.md anew; a minute or more
	$(BIN)/harness exam --table docs/reference/exam.md

test: setup ## pytest on two processes, without the tests marked eval
	$(BIN)/pytest -q -n 2

include parts.mk

EVALUATED := workflow-selection-2.7 workflow-recovery-1.0 playbook-strategies-2.0 playbook-selection-2.0 \
	playbook-minimal-1.0

# How long each target of tests/fuzzing/aiming.py is fuzzed.
SECONDS_EACH ?= 60
FUZZED := answer grammar yaml trace promql arguments pattern

.venv/fuzz: .venv/locked pyproject.toml
	$(BIN)/uv pip install --quiet --python $(BIN)/python --target $@ --group fuzz
	touch $@

fuzz: setup .venv/fuzz ## tests/fuzzing with twenty times the examples, then its targets guided by coverage; bounded
	timeout 1800 $(BIN)/pytest -q -n 2 tests/fuzzing --hypothesis-profile=fuzz --timeout=1200
	for target in $(FUZZED); do mkdir -p .hypothesis/guided/$$target && \
	PYTHONPATH=.venv/fuzz $(BIN)/python tests/fuzzing/guided.py $$target -max_total_time=$(SECONDS_EACH) -timeout=10 \
	-max_len=4096 -artifact_prefix=.hypothesis/guided/ .hypothesis/guided/$$target tests/fuzzing/corpus/$$target || exit 1; done

# One mutant in so many is tried, always the same ones; 1 tries all of them.
ONE_IN ?= 8

.venv/mutation: .venv/locked pyproject.toml
	$(BIN)/uv pip install --quiet --python $(BIN)/python --target $@ --constraint requirements-dev.lock --group mutation
	touch $@

mutants: setup .venv/mutation ## mutants of graders, extraction and contracts: at most 5 % survive, each argued; half an hour
	PYTHONPATH=.venv/mutation nice $(BIN)/python benchmarks/mutation.py --one-in $(ONE_IN) --write

eval: setup ## the suite under all five contracts against two mock models: every MUST clause is kept and broken; keeps the run
	$(BIN)/harness run -t mock:oracle -t mock:flaky $(EVALUATED:%=-c %) -n 1 --seed 1 --out reports/runs
	$(BIN)/python benchmarks/proven.py latest

long: setup ## what every mock declares, and what the gate promises of them; some minutes
	$(BIN)/pytest -q -n 2 -m long tests/targets/test_mocks.py tests/gate

cassettes: setup ## record golden/cassettes/ anew where the mocks say something else now; by hand, never in CI
	$(BIN)/pytest -q tests/store/test_cassettes.py --update-golden

# Other frameworks, each in an environment of its own: no release that they ask for touches the harness.
PEERS := .venv/peers/pydantic-evals .venv/peers/inspect

.venv/peers/pydantic-evals: WANTED := pydantic-evals==2.62.0 pydantic-ai-slim[openai]==2.62.0 openai==3.54.0
.venv/peers/inspect: WANTED := inspect-ai==0.3.285 openai==3.54.0

$(PEERS): .venv/locked
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $@
	$(BIN)/uv pip install --quiet --python $@ $(WANTED)
	touch $@

# More arguments, as BENCH='--only conversations --rounds 1'; `.venv/bin/python -m benchmarks.speed --help` has them.
BENCH ?=

bench: setup $(PEERS) ## what the harness costs beside bare loops and other frameworks: one run, a quarter of an hour
	$(BIN)/python -m benchmarks.speed $(BENCH)

PUBLISHED := reports/published

publish: setup ## reports/published/ anew: an example of every report, from mocks
	rm -rf .venv/nights $(PUBLISHED)/* && mkdir -p $(PUBLISHED)
	$(BIN)/harness run -t mock:oracle -t mock:flaky -t mock:gullible --tag core -n 1 --seed 1 --quiet --out reports/runs
	$(BIN)/harness report latest -f md,csv,html,junit,json,summary,comment --out $(PUBLISHED)
	$(BIN)/harness gate latest --target mock:flaky --baseline latest --baseline-target mock:oracle --markdown \
	> $(PUBLISHED)/gate.md || test $$? = 1
	for night in 01 02 03 04 05 06 07; do $(BIN)/harness nightly -t mock:oracle -t mock:flaky --tag core -n 1 --quiet \
	--date 2026-03-$$night --history .venv/nights || exit 1; done
	cp .venv/nights/nightly.md .venv/nights/nights.jsonl $(PUBLISHED)

calibrate: setup ## docs/calibration.md anew: what the gate promises, simulated; a few minutes
	$(BIN)/python benchmarks/calibration.py --write

LOCK = $(BIN)/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --fork-strategy fewest \
	--generate-hashes --no-annotate --no-emit-index-url --no-config --custom-compile-command 'make lock'

lock: setup ## resolve pyproject.toml anew into requirements.lock and requirements-dev.lock
	$(LOCK) --upgrade --extra salvage --extra parquet --group dev --output-file requirements-dev.lock
	$(LOCK) --upgrade --constraint requirements-dev.lock --output-file requirements.lock

clean: ## delete .venv, caches and built packages; runs and reports stay
	rm -rf .venv build dist *.egg-info .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage
	find harness tests -name __pycache__ -type d -prune -exec rm -rf {} +

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 12
