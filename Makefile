# The commands to remember: make demo | test | slow | browser | bench | gate | check | sanitize | docs
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
BUILD := "scikit-build-core>=1.1" "cython>=3.3" "cython-cmake>=0.3" "numpy>=2.0" "cmake>=3.26" ninja
ENVS := "gymnasium>=1.1" "pettingzoo>=1.25" "open_spiel>=1.6"
WEB := "starlette>=0.40" "uvicorn>=0.30"
TEST := "pytest>=8" "hypothesis>=6.100" "pytest-benchmark>=5" "openskill>=6" "choix>=0.4" "pyarrow>=16.1" $(ENVS) $(WEB)
SLOW := "ray>=2.9"
BROWSER := "playwright>=1.49"
STUBBED := $(patsubst python/masume/%.pyi,masume.%,$(wildcard python/masume/_*.pyi))
PEERS := "numba>=0.60"
DEV := "ruff>=0.8" "mypy>=1.13" "cython-lint>=0.16"

.PHONY: setup demo test slow browser check bench docs gate gate-update sanitize wheel clean

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
	$(PIP) $(DEV)
	touch $@

$(VENV)/.bench: $(VENV)/.test
	$(PIP) $(PEERS)
	touch $@

$(VENV)/.slow: $(VENV)/.test
	$(PIP) $(SLOW)
	touch $@

$(VENV)/.browser: $(VENV)/.test
	$(PIP) $(BROWSER)
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

wheel: $(VENV)/.built
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir dist .

clean:
	rm -rf $(VENV) $(VENV)-sanitize build dist report
