# The commands to remember: make demo | test | bench | gate | check | sanitize | docs
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
BUILD := "scikit-build-core>=1.1" "cython>=3.3" "cython-cmake>=0.3" "numpy>=2.0" "cmake>=3.26" ninja
TEST := "pytest>=8" "hypothesis>=6.100" "pytest-benchmark>=5"
DEV := "ruff>=0.8" "mypy>=1.13" "cython-lint>=0.16"

.PHONY: setup demo test slow check clean

setup: $(VENV)/.built

$(VENV)/.built: pyproject.toml CMakeLists.txt
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

demo: $(VENV)/.built
	$(BIN)/masume selfplay all --seconds 10 --out report

test: $(VENV)/.test
	$(BIN)/python -m pytest

slow: $(VENV)/.test
	$(BIN)/python -m pytest -m slow

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest masume --allowlist tests/stubtest.txt --ignore-disjoint-bases
	$(BIN)/cython-lint cython

clean:
	rm -rf $(VENV) build dist report
