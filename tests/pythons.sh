#!/usr/bin/env bash
# Builds masume for each of these Pythons as a user would, and runs the quick tests there:
#
#   tests/pythons.sh python3.13 /opt/python/3.14t/bin/python3.14t
#
# Extras without a wheel for a Python are left out there, by name. Prints one row per Python; status 1 if one failed.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || { echo "$0: which Pythons?" >&2 && exit 2; }

requirements() { # of an extra
  "$1" -c 'import sys, tomllib
print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"][sys.argv[1]], sep="\n")' "$2"
}

tried() { # PYTHON FOLDER: returns its row
  local pip=("$2/venv/bin/python" -m pip --quiet --disable-pip-version-check) left_out=() log=$2/log.txt tests=passed
  rm -rf "$2/venv"
  "$1" -m venv "$2/venv" && "${pip[@]}" install -C build-dir="$2/cmake" . || { echo "not built" && return 1; }
  for extra in test data rating envs openspiel web; do
    requirements "$2/venv/bin/python" $extra > "$2/$extra.txt"
    "${pip[@]}" install --only-binary :all: -r "$2/$extra.txt" >&2 || left_out+=($extra)
  done
  "$2/venv/bin/python" -m pytest -q -p no:cacheprovider > "$log" 2>&1 || tests=failed
  grep -E '^(FAILED|ERROR)' "$log" >&2 || true
  echo "$tests: $(tail -n 1 "$log"); $("$2/venv/bin/python" -c 'import sys, masume
games = [masume.load(name) for name in masume.games()]
print("GIL", "on" if getattr(sys, "_is_gil_enabled", lambda: True)() else "off")')${left_out:+; without ${left_out[*]}}"
  [ $tests = passed ]
}

rows=() status=0
for python in "$@"; do
  name=$("$python" -c 'import platform, sys; print(platform.python_version() + "t" * ("t" in sys.abiflags))')
  mkdir -p "build/pythons/$name"
  echo "-- $name ($python)"
  row=$(tried "$python" "build/pythons/$name") || status=1
  rows+=("$name  $row")
done
printf '%s\n' "${rows[@]}"
exit $status
