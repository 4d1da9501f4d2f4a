# The front door: every target makes what it needs, the environment included.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/bash

VENV := .venv
PYTHON := $(VENV)/bin/python
READY := $(VENV)/.ready
NOTEBOOKS := $(sort $(wildcard notebooks/*.ipynb))
EXECUTED := $(patsubst notebooks/%.ipynb,build/%.ipynb,$(NOTEBOOKS))
SOURCES := $(shell find ctxgraph data -type f -not -name '*.pyc')
# What a run leaves in a notebook beside its outputs
RUN_METADATA := metadata.papermill metadata.language_info.version cell.metadata.papermill \
	cell.metadata.execution

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: figures
figures: $(EXECUTED) ## execute the notebooks and write figures/ (SVG and PNG)
	@echo "figures/ is up to date:"; ls figures | sed 's/^/  figures\//'

# A figure that was removed is made again
ifneq ($(shell git ls-files --deleted figures 2>/dev/null),)
$(EXECUTED): FORCE
endif
FORCE:

build/%.ipynb: notebooks/%.ipynb $(SOURCES) $(READY)
	@mkdir -p build figures
	$(PYTHON) -m papermill $< $@ -k python3 --cwd notebooks -p output "$(CURDIR)/figures"

.PHONY: test
test: $(READY) ## run the unit tests, and check every notebook's outputs
	$(PYTHON) -m pytest --nbval --nbval-current-env

.PHONY: notebooks
notebooks: $(READY) ## re-execute the notebooks in place, without timestamps
	for notebook in $(NOTEBOOKS); do \
		$(PYTHON) -m papermill $$notebook $$notebook -k python3 --cwd notebooks || exit 1; done
	$(VENV)/bin/nbstripout --keep-output --keep-count --extra-keys "$(RUN_METADATA)" $(NOTEBOOKS)

.PHONY: bench
bench: $(READY) ## time the memories against the article's behaviours (build/bench.csv)
	$(PYTHON) -m ctxgraph.latency
	$(PYTHON) -m ctxgraph.persistence

.PHONY: lab
lab: $(READY) ## open JupyterLab on the notebooks
	$(VENV)/bin/jupyter lab notebooks

.PHONY: lint
lint: $(READY) ## check style and format
	$(PYTHON) -m ruff check
	$(PYTHON) -m ruff format --check

.PHONY: server
server: $(READY) ## install a server that speaks Bolt, so that its tests run (70 MB)
	$(PYTHON) -m pip install --disable-pip-version-check --quiet -r requirements-server.lock

COMPILE = -m uv pip compile --quiet --universal --fork-strategy fewest --python-version 3.11 \
	--no-annotate --no-header pyproject.toml

.PHONY: lock
lock: $(READY) ## pin the dependencies of pyproject.toml in the lock files
	$(PYTHON) -m pip install --quiet uv
	$(PYTHON) $(COMPILE) --extra test --output-file requirements.lock
	$(PYTHON) $(COMPILE) --extra server --constraints requirements.lock \
		--output-file requirements-server.lock

.PHONY: clean
clean: ## remove the environment and what was built
	rm -rf $(VENV) build ctxgraph.egg-info .pytest_cache .ruff_cache .hypothesis
	find ctxgraph tests notebooks -name __pycache__ -o -name .ipynb_checkpoints | xargs rm -rf

# Each interpreter is tried, not only found: one on the PATH may be a shim that fails.
$(READY): requirements.lock pyproject.toml
	@tried() { "$$1" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))'; }; \
	pyenv="$${PYENV_ROOT:-$$HOME/.pyenv}/versions"; \
	for python in python3.12 "$$pyenv"/3.12*/bin/python3 python3.13 python3.14 python3.11 python3 \
			"$$pyenv"/3.*/bin/python3; do \
		if tried "$$python" 2>/dev/null; then found="$$python"; break; fi; \
	done; \
	if [ -z "$$found" ]; then echo "Python 3.11 or later, with venv, is needed" >&2; exit 1; fi; \
	echo "making $(VENV) with $$found ($$("$$found" --version))"; \
	"$$found" -m venv --clear $(VENV)
	$(PYTHON) -m pip install --disable-pip-version-check --progress-bar off -r requirements.lock
	$(PYTHON) -m pip install --disable-pip-version-check --quiet --no-deps --editable .
	@touch $@
