#!/usr/bin/env bash
# Builds masume with a sanitizer, in addition to the normal build, and runs what reaches its C code:
#
#   tests/sanitize.sh address          out of bounds, use after free, undefined behaviour
#   tests/sanitize.sh address quick    the same with fewer tests, and the fuzzer
#   tests/sanitize.sh thread           data races
#
# A report ends the run with status 1. The virtual environment .venv-sanitize is made by `make sanitize`.
set -euo pipefail
shopt -s nullglob # not every game has every file
cd "$(dirname "$0")/.."

kind=$1 extent=${2:-all}
case $kind in
  address) flags=address,undefined libraries=(libasan.so libubsan.so) workers=auto ;;
  thread) flags=thread libraries=(libtsan.so) workers=0 ;;
  *) echo "$0: expected address or thread, got $kind" >&2 && exit 2 ;;
esac
[ "$extent" = all ] && cases=20000 || cases=1500
build=build/sanitize/$kind
python=.venv-sanitize/bin/python

echo "-- build ($flags)"
$python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --upgrade --target "$build/site" \
  -C build-dir="$build/cmake" -C cmake.define.MASUME_SANITIZE="$flags" -C install.strip=false .

export ASAN_OPTIONS=detect_leaks=0 # CPython has leaks of its own
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1
export PYTHONMALLOC=malloc # each object has its own allocation, with red zones
export PYTHONPATH=$PWD/$build/site # tests run programs in other folders
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

# reports are visible; forks are not followed, since a child may find the sanitizer's own locks held; the reference is
# Python alone
pytest=("$python" -m pytest -q -n $workers --dist loadfile -p no:cacheprovider --capture=sys -k "not fork and not child and not [reference")
if [ "$kind" = address ]; then
  for level in $levels; do
    run env MASUME_CPU="$level" "${pytest[@]}" tests/kakomimasu/test_vectors.py
  done
  if [ "$extent" = all ]; then
    # two files of the contract check results, not memory: they call the table with arrays of their own
    run "${pytest[@]}" --ignore tests/contract/test_table.py --ignore tests/contract/test_golden.py tests/contract \
      tests/*/test_{belief,engine,policies,properties,rules,state,vectors}.py \
      tests/battleship/test_{fire,flagship,fuel,mines,movement,reinforcement,setup,stealth,turn}.py \
      tests/core/test_{callers,edge,playout,pool}.py tests/records/test_replay.py \
      tests/search/test_{alphabeta,beam,mcts,solve}.py tests/test_plugin.py
  else
    run "${pytest[@]}" tests/*/test_vectors.py tests/core/test_{callers,edge}.py tests/contract/test_batch.py
  fi
  run "$python" tests/fuzz.py --cases "$cases" --seed 20261128
else
  run "${pytest[@]}" tests/contract/test_{batch,rows}.py tests/search/test_mcts.py tests/core/test_{edge,pool,threads}.py
fi
