# The steps of CI (.ci/run calls these targets), to be run in an environment with the extra "test".
PYTHON ?= python

.PHONY: help all test doctest lint types coverage docs ci

help:
	@echo "make all        lint, types, tests and doctests, in this environment"
	@echo "make test       the test suite, on two cores"
	@echo "make doctest    the examples of the docstrings"
	@echo "make lint       ruff: rules and format"
	@echo "make types      mypy"
	@echo "make coverage   the test suite with branch coverage"
	@echo "make docs       the documentation, in docs/_build/html (extra \"docs\")"
	@echo "make ci         all of it as CI does, in fresh environments"

all: lint types test doctest

test:
	$(PYTHON) -m pytest -n 2

doctest:
	$(PYTHON) -m pytest --doctest-modules skfairprop

lint:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .

types:
	$(PYTHON) -m mypy

coverage:
	$(PYTHON) -m pytest -n 2 --cov --cov-report=term

docs:
	$(PYTHON) -m sphinx -W --keep-going -q -b html docs docs/_build/html

ci:
	bash .ci/run
