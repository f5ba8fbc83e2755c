# make app    serve the lab as web pages         make lab    the same notebooks in JupyterLab
# make test   run the tests                      make bench  compare with another toolbox's speed
# make lint   check the style                    make clean  forget the environment and the caches
# make load   thirty readers at once (minutes)
# make reference   compute the shipped reference results again (a few hours)
#
# The first of them sets up .venv from the one lock, environment.yml (a few minutes); after that only when
# the pins change. An interrupted set-up is taken up again by the next make.

PYTHON ?= python3
PORT ?= 8866

VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/ready
# A file of "name==version" lines, the lock as pip reads it.
PINS := $(VENV)/pins.txt

.PHONY: app test lab bench load lint reference clean

app: $(READY)
	@$(VENV)/bin/dpmia-lab app --port $(PORT)

test: $(READY)
	$(PY) -m pytest -n 2 --dist loadfile

lab: $(READY)
	$(PY) -m jupyterlab --ServerApp.root_dir=notebooks

bench: $(READY)
	$(PY) -m pip install --quiet --constraint $(PINS) --no-build-isolation --editable ".[bench]"
	$(PY) -m tests.bench

load: $(READY)
	$(PY) -m tests.load

reference: $(READY)
	$(PY) -m dpmia_lab.commands.reference
	$(PY) -m dpmia_lab.commands.shipped_runs

lint: $(READY)
	$(PY) -m ruff check .

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .ruff_cache .hypothesis
	find dpmia_lab tests -name __pycache__ -type d -prune -exec rm -rf {} +

# torch comes first: what merely asks for "torch" must find this one and not fetch the newest.
$(READY): environment.yml pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "dpmia_lab needs Python 3.11 or newer; try: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	@echo "Setting up $(VENV): this takes a few minutes, once."
	@$(PYTHON) -m venv $(VENV)
	@sed -n 's/^ *- \([A-Za-z0-9._-]*==[^ ]*\).*/\1/p' environment.yml > $(PINS)
	$(PY) -m pip install --quiet --constraint $(PINS) torch
	$(PY) -m pip install --quiet --requirement $(PINS)
	$(PY) -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@
