"""Self-play of random agents: the cost of keeping records, and the speed of Ray on the same two processors.

Each bench plays the same games in all its ways in turn, round after round, and reports the medians of the ratios within
a round, so that other load of the machine affects all ways alike.
"""

import importlib.util
import statistics
import time

import pytest

import masume
from masume.play.cluster import LOCAL
from masume.play.selfplay import selfplay
from masume.records.arrays import FORMATS

ROUNDS = 5
SECONDS = 2.0  # per run
RAY_SECONDS = 60.0


def rate(game, seconds, **kept):
    """Return the games/s of a run by one thread, from its call to its return."""
    started = time.perf_counter()
    summary = selfplay([game], ["random"], seconds=seconds, seed=1, replays=0, **kept)
    return summary.games[game.name].games / (time.perf_counter() - started)


@pytest.mark.parametrize("name", masume.games())
def test_records(benchmark, name, tmp_path):
    """Report the games/s with records as a share of those without."""
    game = masume.load(name)
    seconds = SECONDS if benchmark.enabled else 1e-3
    rate(game, 1e-3, out=tmp_path / "warm", records="parquet")
    rounds = []

    def play():
        plain = rate(game, seconds)
        rounds.append(
            {form: rate(game, seconds, out=tmp_path / f"{form}-{len(rounds)}", records=form) / plain
             for form in FORMATS} | {"games_per_s": plain}
        )  # fmt: skip

    benchmark.group = "self-play: games/s with records by games/s without"
    benchmark.pedantic(play, rounds=ROUNDS)
    told = {what: round(statistics.median(found[what] for found in rounds), 3) for what in rounds[0]}
    size = sum(path.stat().st_size for path in tmp_path.glob("parquet-0/[gp]*/*.parquet"))
    num_games = masume.load_records(tmp_path / "parquet-0").num_games
    benchmark.extra_info.update(told, parquet_bytes_per_game=round(size / num_games, 1))
    print(f"\n{name}: {benchmark.extra_info}")


def test_ray(benchmark, tmp_path):
    """Compare the games/s of two Ray workers with those of two threads, from the first finished chunk on."""
    if importlib.util.find_spec("ray") is None:
        pytest.skip("Ray is not installed")
    if not benchmark.enabled:
        pytest.skip("tests/play/test_cluster.py plays with Ray")
    game = masume.load("kakomimasu")

    def play(where):
        seen = []
        out = tmp_path / str(where)
        selfplay(
            [game], ["random"], seconds=RAY_SECONDS, threads=2, replays=0, records="parquet", out=out, ray=where,
            progress=lambda *state: seen.append(state),
        )  # fmt: skip
        (first, start), (last, end) = next(state for state in seen if state[0]), seen[-1]
        return (last - first) / (end - start)

    found = benchmark.pedantic(lambda: {where: play(where) for where in (None, LOCAL)}, rounds=1)
    benchmark.group = "self-play: games/s of Ray by games/s of threads"
    benchmark.extra_info.update(threads=round(found[None]), ray=round(found[LOCAL]), ratio=found[LOCAL] / found[None])
    print(f"\n{benchmark.extra_info}")
