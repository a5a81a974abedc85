#!/usr/bin/env bash
# Builds masume with a sanitizer, beside the normal build, and runs what reaches its C code:
#
#   tests/sanitize.sh address    out of bounds, use after free, undefined behaviour
#   tests/sanitize.sh thread     data races
#
# A report ends the run with status 1. The virtual environment .venv-sanitize is made by `make sanitize`.
set -euo pipefail
shopt -s nullglob # not every game has every file
cd "$(dirname "$0")/.."

kind=$1
case $kind in
  address) flags=address,undefined libraries=(libasan.so libubsan.so) workers=auto ;;
  thread) flags=thread libraries=(libtsan.so) workers=0 ;;
  *) echo "$0: address or thread is wanted, not $kind" >&2 && exit 2 ;;
esac
build=build/sanitize/$kind
python=.venv-sanitize/bin/python

echo "-- build ($flags)"
$python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --upgrade --target "$build/site" \
  -C build-dir="$build/cmake" -C cmake.define.MASUME_SANITIZE="$flags" -C install.strip=false .

export ASAN_OPTIONS=detect_leaks=0 # CPython's own
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1
export PYTHONMALLOC=malloc # each object has an allocation, and red zones, of its own
export PYTHONPATH=$build/site
preload=$(for library in "${libraries[@]}"; do gcc -print-file-name="$library"; done | paste -sd:)

run() {
  echo "-- $*"
  env LD_PRELOAD="$preload" "$@"
}

levels=$(LD_PRELOAD=$preload $python -c "
import masume, masume.kakomimasu._engine
assert 'build/sanitize/$kind' in masume.__file__, masume.__file__
print(*masume.core._wide.levels())")

gcc -std=gnu11 -O1 -g -Wall -Wextra -Werror -fsanitize="$flags" -fno-sanitize-recover=undefined -Isrc \
  tests/pool_stress.c src/pool.c -pthread -o "$build/pool_stress"
echo "-- pool_stress"
"$build/pool_stress"

# reports are seen; no fork is followed, for a child may find the sanitizer's own locks held
pytest=("$python" -m pytest -q -n $workers --dist loadfile -p no:cacheprovider --capture=sys -k "not fork and not child")
if [ "$kind" = address ]; then
  for level in $levels; do
    run env MASUME_CPU="$level" "${pytest[@]}" tests/kakomimasu/test_vectors.py
  done
  run "${pytest[@]}" tests/contract tests/*/test_{belief,engine,policies,properties,rules,state,vectors}.py \
    tests/battleship/test_{fire,flagship,fuel,mines,movement,reinforcement,setup,stealth,turn}.py \
    tests/core/test_{callers,playout,pool}.py tests/records/test_replay.py tests/search/test_{alphabeta,beam,mcts,solve}.py \
    tests/test_plugin.py
  run "$python" tests/fuzz.py --cases 3000 --seed 5
else
  run "${pytest[@]}" tests/contract/test_batch.py tests/search/test_mcts.py tests/core/test_pool.py
fi
