# make app    serve the lab as web pages         make lab    the same notebooks in JupyterLab
# make test   run the tests                      make bench  compare with another toolbox's speed
# make lint   check the style                    make clean  forget the environment and the caches
# make load   thirty readers at once (minutes)    make wheelhouse  all wheels in a folder, for a machine without network
# make hub    JupyterHub with two students, for real    make nginx  the lab behind nginx with TLS, for real
# make binder      what Binder would do with this folder, without its image
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
# A folder with every wheel of the lock, as `make wheelhouse` fills it: where there is one, no network is asked.
WHEELS ?= $(patsubst %/pins.txt,%,$(wildcard wheelhouse/pins.txt))
FROM := $(if $(WHEELS),--no-index --find-links $(WHEELS))

.PHONY: app test lab bench load hub nginx binder lint reference clean wheelhouse

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

# What a hub's machine needs beside the lab, in the same .venv; then the recipe is tried.
hub: $(READY)
	$(PY) -m pip install --quiet --constraint $(PINS) --no-build-isolation --editable ".[hub]"
	npm install --prefix $(VENV)/hub --no-audit --no-fund --loglevel=error configurable-http-proxy@5.3.0
	$(PY) -m tests.hub

nginx: $(READY)
	$(PY) -m tests.behind_nginx

binder: $(READY)
	$(PY) -m tests.binder

reference: $(READY)
	$(PY) -m dpmia_lab.commands.reference
	$(PY) -m dpmia_lab.commands.shipped_runs

lint: $(READY)
	$(PY) -m ruff check .

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .ruff_cache .hypothesis
	find dpmia_lab tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(PINS): environment.yml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "dpmia_lab needs Python 3.11 or newer; try: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@sed -n 's/^ *- \([A-Za-z0-9._-]*==[^ ]*\).*/\1/p' environment.yml > $@

# torch comes first: what merely asks for "torch" must find this one and not fetch the newest.
$(READY): $(PINS) pyproject.toml
	@echo "Setting up $(VENV)$(if $(WHEELS), from $(WHEELS)): this takes a few minutes, once."
	$(PY) -m pip install --quiet $(FROM) --constraint $(PINS) torch
	$(PY) -m pip install --quiet $(FROM) --requirement $(PINS)
	$(PY) -m pip install --quiet $(FROM) --no-deps --no-build-isolation --editable .
	@touch $@

# The list of what is in it comes last: a wheelhouse without it is not whole.
wheelhouse: $(PINS)
	rm -f wheelhouse/pins.txt
	$(PY) -m pip wheel --wheel-dir wheelhouse --constraint $(PINS) torch
	$(PY) -m pip wheel --wheel-dir wheelhouse --find-links wheelhouse --requirement $(PINS)
	cp $(PINS) wheelhouse/
	@du -sh wheelhouse
