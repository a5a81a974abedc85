#!/usr/bin/env bash
# Builds masume with each given compiler, shows the warnings of its build and compares what the builds compute:
#
#   tests/compilers.sh gcc-11 clang-19 "gcc -DMASUME_NO_VECTORS -DMASUME_NO_INT128"
#
# PYTHON (python3) needs pytest and the build requirements (pyproject.toml). Each build gets its own folder in
# build/compilers. Status 1: a build failed or warned, or checksums differ from those of the first compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || { echo "usage: $0 COMPILER ..." >&2 && exit 2; }

python=${PYTHON:-python3}
root=build/compilers
unset MASUME_CPU PYTHONPATH
packages=$($python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') # without editable installs
mkdir -p $root
row() { printf '%-54s %-9s %-7s %-9s %s\n' "$@"; }
table=$(row compiler version build warnings checksums)
first='' status=0

for compiler in "$@"; do
  build=$root/$(tr -cs 'A-Za-z0-9\n' - <<< "$compiler")
  echo "-- $compiler ($(date -u +%H:%M:%S))"
  rm -rf "$build" && mkdir -p "$build"
  version=$($compiler -dumpfullversion 2> /dev/null || $compiler -dumpversion) || version=absent
  warnings=- checksums=-
  began=$SECONDS
  if CC=$compiler $python -m pip install --verbose --disable-pip-version-check --no-deps --no-build-isolation \
    --target "$build/site" -C build-dir="$build/cmake" . > "$build/log" 2>&1; then
    built="$((SECONDS - began)) s"
    warnings=$(grep -c 'warning:' "$build/log" || true)
    grep -A 4 'warning:' "$build/log" || true
    if PYTHONPATH=$build/site:$packages $python -S tests/checksums.py > "$build/checksums"; then
      checksums=equal
      first=${first:-$build/checksums}
      # a build without vectors has fewer levels: those that it has must equal the first build's, line by line
      ! grep -vxFf "$first" "$build/checksums" || checksums=DIFFERENT
    else
      checksums=FAILED
    fi
  else
    built=FAILED
    grep -E -A 4 'error|Error' "$build/log" || cat "$build/log"
  fi
  [ "$warnings $checksums" = "0 equal" ] || status=1
  table+=$'\n'$(row "$compiler" "$version" "$built" "$warnings" "$checksums")
done

echo
[ -z "$first" ] || cat "$first"
echo
echo "$table"
exit $status
