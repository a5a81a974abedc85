# The commands to remember: make demo | test | slow | browser | bench | gate | check | sanitize | docs | cross
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# what has to be installed is in pyproject.toml, and nowhere else
PROJECT := import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))
quoted = $(shell $(PYTHON) -c '$(PROJECT); print(*map(repr, $(1)))')
extra = $(call quoted,project["project"]["optional-dependencies"]["$(1)"])
BUILD = $(call quoted,project["build-system"]["requires"]) "cmake>=3.26" ninja
TEST = $(foreach name,test data rating envs openspiel web,$(call extra,$(name)))
STUBBED := $(patsubst python/masume/%.pyi,masume.%,$(wildcard python/masume/_*.pyi))

.PHONY: setup demo test slow browser check bench docs gate gate-update sanitize cross wheel clean

setup: $(VENV)/.built

# a new package is seen by the editable install only after it is made again
$(VENV)/.built: pyproject.toml CMakeLists.txt $(wildcard python/masume/*/__init__.py)
	$(PYTHON) -m venv $(VENV)
	$(PIP) $(BUILD)
	$(PIP) --no-build-isolation --editable .
	touch $@

$(VENV)/.test: $(VENV)/.built
	$(PIP) $(TEST)
	touch $@

$(VENV)/.dev: $(VENV)/.test
	$(PIP) $(call extra,dev)
	touch $@

$(VENV)/.bench: $(VENV)/.test
	$(PIP) $(call extra,bench)
	touch $@

$(VENV)/.slow: $(VENV)/.test
	$(PIP) $(call extra,ray) $(call extra,cross)
	touch $@

$(VENV)/.cross: $(VENV)/.built
	$(PIP) $(call extra,cross)
	touch $@

$(VENV)/.browser: $(VENV)/.test
	$(PIP) $(call extra,browser)
	touch $@

demo: $(VENV)/.built
	$(BIN)/masume selfplay all --seconds 10 --out report

test: $(VENV)/.test
	$(BIN)/python -m pytest

slow: $(VENV)/.slow
	$(BIN)/python -m pytest -m slow

browser: $(VENV)/.browser
	$(BIN)/python -m pytest tests/browser

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest $(STUBBED) --allowlist tests/stubtest.txt --ignore-disjoint-bases
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/cython-lint cython

bench: $(VENV)/.bench
	$(BIN)/python benches/table.py
	$(BIN)/python -m pytest benches/test_selfplay.py benches/test_server.py --benchmark-enable --benchmark-columns=median

docs: $(VENV)/.bench
	$(BIN)/python docs/pictures.py
	$(BIN)/python benches/table.py --keep
	$(BIN)/python benches/pages.py

gate: $(VENV)/.built
	$(BIN)/python benches/instructions.py

gate-update: $(VENV)/.built
	$(BIN)/python benches/instructions.py --update

# an environment without the editable install, which would be found first
$(VENV)-sanitize/.built: pyproject.toml
	$(PYTHON) -m venv $(VENV)-sanitize
	$(VENV)-sanitize/bin/python -m pip install --quiet --disable-pip-version-check $(BUILD) $(TEST)
	touch $@

sanitize: $(VENV)-sanitize/.built
	tests/sanitize.sh address
	tests/sanitize.sh thread

cross: $(VENV)/.cross
	$(BIN)/python tests/cross.py

wheel: $(VENV)/.built
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir dist .

clean:
	rm -rf $(VENV) $(VENV)-sanitize build dist report
