# One command each. `make help` lists them.

PYTHON ?= python3
PORT = .venv/bin/python
N ?= 100000

.DEFAULT_GOAL := help
.PHONY: help setup verify verify-all crosshair crosshair-all recheck stability mutate regenerate links test docs differential faults growth test-client bench bench-store load weigh demo clean lock package test-lowest test-pythons site test-site

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

# Set-up: everything in the project's own folders, again only when what goes in has changed

setup: ## the environments: .venv and, apart from it, the solver
	@$(PYTHON) -m ci.setup

# Proof

verify: setup ## every theorem, with a verdict for each property (under 6 minutes)
	@$(PYTHON) -m ci.prove.verify

verify-all: setup ## the same, and what is slow: the model's examples, analysis of the proofs, replay of the record, a second solver
	@$(PYTHON) -m ci.prove.verify --all

crosshair: setup ## the contracts of the port, by symbolic execution (a part of verify)
	@$(PORT) -m ci.prove.crosshair

crosshair-all: setup ## the same with a larger bound, and without one
	@$(PORT) -m ci.prove.crosshair --bound 3
	@$(PORT) -m ci.prove.crosshair --hunt

recheck: setup ## every recorded obligation by three solvers (slow)
	@$(PYTHON) -m ci.audit.recheck
	@$(PYTHON) -m ci.check.table

stability: setup ## every proof under ten random seeds (slow)
	@$(PYTHON) -m ci.audit.stability

mutate: setup ## small defects: of the core, which tests must find, of the model, which must break a proof (slow)
	@$(PYTHON) -m ci.audit.mutate
	@$(PYTHON) -m ci.audit.model_mutants
	@$(PYTHON) -m ci.audit.statements
	@$(PYTHON) -m ci.check.table

regenerate: setup ## makes anew what a change of the model or the core makes stale, and only that (slow; needs Dafny)
	@$(PYTHON) -m ci.prove.regenerate

links: ## dead links in the documentation
	@$(PYTHON) -m ci.check.traceability --links

# Test

test: setup ## all tests, types, lint, the documentation's examples (about 12 minutes on two cores)
	@$(PORT) -m mypy --config-file python/pyproject.toml python/src/forkpoint
	@$(PORT) -m ruff check --quiet --config python/pyproject.toml python tests ci spec/site
	@$(PORT) -m ruff format --check --quiet --config python/pyproject.toml python tests ci spec/site
	@$(PORT) -m ci.check.docs --check
	@$(PYTHON) -m ci.check.prose
	@$(PORT) -m pytest -c python/pyproject.toml --numprocesses 2 --quiet

docs: setup ## makes the output shown in the documentation, its links, its tables and the schema of the answers anew
	@$(PORT) -m ci.check.docs
	@$(PYTHON) -m ci.check.table

differential: setup ## the port against the Python generated from the model: N=1000000 questions, and every real transcript
	@N=$(N) PYTHONPATH=tests $(PORT) -m differential

faults: setup ## every fault at every system call of every command that writes; counts into the spec (slow)
	@PYTHONPATH=tests $(PORT) -m faults --write

load: setup ## 8 clients on one store, killed again and again, and every answer judged; figures into its page (slow)
	@PYTHONPATH=tests $(PORT) -m load --write

# Measure

bench: setup ## forkpoint, the SDK and the floors in one run; --write puts the table into the README
	@$(PORT) -m ci.measure.bench --write

bench-store: setup ## the store of worldlines beside two others; writes the table into its page (minutes)
	@$(PORT) -m ci.measure.store --write

figures: setup ## what a reviewer counts in the code: names, parameters, circles, keys of the client, docstrings
	@$(PORT) -m ci.measure.figures

growth: setup ## how the time of every command grows with N, 2N, 4N entries of some 90 shapes (hours; QUICK=60: each command a minute)
	@$(PORT) -m ci.measure.growth $(if $(QUICK),--quick $(QUICK))

weigh: ## what the commits since a revision add to the repository for ever, by path: SINCE=REVISION
	@$(PYTHON) -m ci.measure.weigh $(SINCE)

test-client: setup ## forks under the real client, offline, request by request (under 10 minutes; FULL=1: all cases)
	@PYTHONPATH=tests $(PORT) -m client

# Package

package: setup ## wheel and sdist, judged as an index would, each installed into an empty environment
	@$(PORT) -m ci.release.package

test-lowest: setup ## the tests, once, with the lowest version of every dependency that is allowed
	@$(PORT) -m ci.release.package --lowest

test-pythons: setup ## the same with the locked versions, under each of Python 3.12 to 3.14 that is installed
	@$(PORT) -m ci.release.package --pythons

lock: setup ## the locks anew: python/lock.txt and spec/site/lock.txt, from the ranges beside them
	@$(PORT) -m ci.release.lock

# Demo

demo: setup ## forks a small sample and draws both trees
	@$(PORT) -m ci.release.demo

# Documentation

site: ## the documentation as a site, in .build/site: a page a chapter, docstrings, sources, search (about a minute)
	@$(PYTHON) -m ci.release.site

test-site: ## the same, and a browser tries it: links, search, diagrams, both themes, a narrow screen (needs chromium)
	@$(PYTHON) -m ci.release.site --test

# Clean

clean: ## removes what the targets leave behind, except the environments
	rm -rf .build
