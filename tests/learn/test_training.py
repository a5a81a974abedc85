"""Training: it learns, it gives the same weights for a seed, also after kill -9, and faults are named."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import masume
from cases import GAMES
from masume import cli
from masume.agents.make import make_agent
from masume.learn import run as runs
from masume.learn.samples import ILLEGAL, Samples
from masume.nets.network import FILE, Network
from masume.nets.packed import pack, unpack
from masume.play.driver import play_game

SMALL = {name: its.SMALL for name, its in GAMES.items()}
CHASER = masume.load("chaser", **SMALL["chaser"])
UNTURNED = masume.load("terraforming", **SMALL["terraforming"])
"""A game without symmetries."""
TINY = {"games": 6, "simulations": 4, "hidden": (16,), "measured": 4, "rows": 32, "pool": 0.5, "pool_every": 2}


# -- runs -----------------------------------------------------------------------------------------------

torch = pytest.importorskip("torch", reason="the extra `learn` is not installed")
pytestmark = pytest.mark.slow  # `make slow` installs it

from masume.learn.actor import SLIPS, play, teach  # noqa: E402
from masume.learn.learner import Learner, TorchNetwork  # noqa: E402
from masume.learn.parts import Here  # noqa: E402


def trained(folder, game, iterations, **fields):
    """Train, and return the weights and the log without its times."""
    run = runs.TrainingRun(folder, runs.TrainingPlan(game, **(TINY | fields)))
    for _ in run.train(iterations):
        pass
    return run.network.weights, [{**row, "seconds": None} for row in run.log]


def same(one, other):
    return all((one[name] == other[name]).all() for name in one | other)


@pytest.mark.parametrize("name", GAMES)
def test_games_give_samples(name):
    """For every game: policies over the legal codes of a player's own slots, and results seen from its seat."""
    game = masume.load(name, **SMALL[name])
    network = Network(game, hidden=(8,))
    harvest = play(network, [3, 4], [None, None], 4, 2, 0.1, lambda _: None)
    samples = harvest.samples
    assert len(samples) == harvest.plies * (game.num_players if game.is_simultaneous else 1)
    state = game.redrawn(3).new_state(3)
    player = int(state.slots[0])
    view = {field: state.observation(player, crop=network.crop)[field][None] for field in network.observe}
    wanted = network.rows(view, np.array([player])).astype(np.float16)
    row = next(row for row, seen in enumerate(samples.rows) if (seen == wanted[0]).all())
    np.testing.assert_array_equal(samples.policies[row, 0] != ILLEGAL, state.legal_mask(0) != 0)
    sums = np.maximum(samples.policies.astype(np.float32), 0).sum(axis=-1)
    np.testing.assert_allclose(sums[(samples.policies != ILLEGAL).any(axis=-1)], 1, atol=0.02)
    assert np.isfinite(samples.results).all()


def test_each_part_is_played_on_a_board_of_its_own():
    """Where the config draws the board: that of the part's first seed, with and without a teacher."""
    game = masume.load("kakomimasu", **SMALL["kakomimasu"])
    network = Network(game, hidden=(8,))

    def starts(seeds):
        games = play(network, seeds, [None] * len(seeds), 4, 2, 0.1, lambda _: None)
        taught = teach(network, seeds, "random", lambda _: None)
        return [harvest.samples.rows[: 2 * len(seeds)] for harvest in (games, taught)]

    def start(seed):
        state = game.redrawn(seed).new_state()
        views = [state.observation(player) for player in (0, 1)]
        return network.rows({name: np.array([view[name] for view in views]) for name in network.observe}, np.arange(2))

    assert (start(3) != start(4)).any()
    for seeds in ([3, 4], [4, 3]):
        for rows in starts(seeds):
            wanted = np.unique(start(seeds[0]).astype(np.float16), axis=0)
            np.testing.assert_array_equal(np.unique(rows, axis=0), wanted)


@pytest.mark.parametrize("name", GAMES)
def test_every_game_trains_and_its_network_plays(name, tmp_path):
    game = masume.load(name, **SMALL[name])
    weights, log = trained(tmp_path, game, 1, against=("random",), games=4)
    assert [row["iteration"] for row in log] == [0, 1]
    assert not same(weights, Network(game, hidden=(16,)).weights)
    agents = [make_agent(f"net:{tmp_path}", game), *(make_agent("random", game) for _ in range(game.num_players - 1))]
    assert play_game(game, agents, 2).state.is_terminal()
    assert "<svg" in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert [json.loads(line)["iteration"] for line in (tmp_path / "log.jsonl").read_text().splitlines()] == [0, 1]


def test_a_seed_gives_the_same_weights(tmp_path):
    first, log = trained(tmp_path / "a", CHASER, 3)
    again, log_again = trained(tmp_path / "b", CHASER, 3)
    other, _ = trained(tmp_path / "c", CHASER, 3, seed=1)
    assert same(first, again)
    assert log == log_again
    assert not same(first, other)
    assert (tmp_path / "a" / FILE).read_bytes() == (tmp_path / "b" / FILE).read_bytes()


def test_playouts_have_a_share_in_training_and_in_the_agent(tmp_path):
    """A run goes on with the share that it began with."""
    without, _ = trained(tmp_path / "a", CHASER, 2)
    weights, _ = trained(tmp_path / "b", CHASER, 1, playouts=0.5)
    assert not same(weights, without)
    trained(tmp_path / "b", CHASER, 2, playouts=0.5)
    assert Network.load(tmp_path / "b", CHASER).playouts == 0.5
    with pytest.raises(masume.ConfigError, match=r"playouts: expected 0.5, as .* has it, got 0"):
        trained(tmp_path / "b", CHASER, 3)


@pytest.mark.parametrize("overlap", [False, True])
def test_a_run_that_stopped_goes_on_to_the_same_weights(overlap, tmp_path):
    whole, log = trained(tmp_path / "a", CHASER, 4, overlap=overlap)
    for iterations in (1, 3, 4):
        parts, log_of_parts = trained(tmp_path / "b", CHASER, iterations, overlap=overlap)
    assert same(whole, parts)
    assert log == log_of_parts


def test_with_overlap_games_are_played_by_the_network_of_before(tmp_path):
    """The first two iterations are both played by the first weights, and the others by those of two before."""
    seen = []

    def watch(task, parts):
        seen.append((task.network.weights, list(task.members)))
        return Here(task, parts)

    run = runs.TrainingRun(tmp_path, runs.TrainingPlan(CHASER, overlap=True, **TINY))
    kept = [dict(run.network.weights)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "Here", watch)
        kept.extend(dict(run.network.weights) for _ in run.train(5))
    kept.pop(0)
    assert len(seen) == 5
    for k, (weights, members) in enumerate(seen):
        assert same(weights, kept[max(0, k - 1)])
        assert not any(int(name.removeprefix("iteration ")) > k - 1 for name in members if "iteration" in name)


def test_parts_play_all_games_and_give_the_same_weights(tmp_path):
    """Each part is games that are played at once, so that parts decide the weights; the pool is in all of them."""
    first, log = trained(tmp_path / "a", CHASER, 2, games=7, parts=3)
    again, log_again = trained(tmp_path / "b", CHASER, 2, games=7, parts=3)
    assert same(first, again)
    assert log == log_again
    assert [sum(map(sum, row["pool"].values())) for row in log[1:]] == [4, 4]
    run = runs.TrainingRun(tmp_path / "a", runs.TrainingPlan(CHASER, **(TINY | {"games": 7, "parts": 3})))
    seeds = []

    def watch(_task, parts):
        seeds.extend(part.seeds for part in parts)

    run._begin(3, watch)
    assert [len(one) for one in seeds] == [3, 2, 2]
    assert len({seed for one in seeds for seed in one}) == 7


KILLED = """
import os, signal, sys
import masume
from masume.core import files
from masume.learn import run as runs

real, left = runs.write_atomic, int(sys.argv[2])

def write(path, data):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    real(path, data)

runs.write_atomic = write
game = masume.load("chaser", **{chaser})
for _ in runs.TrainingRun(sys.argv[1], runs.TrainingPlan(game, **{tiny})).train(3):
    pass
"""


@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no kill -9")
def test_a_run_that_was_killed_comes_to_the_same_weights(overlap, tmp_path):
    """Killed before each write of an iteration in turn: it goes on from the last checkpoint."""
    plan = TINY | {"overlap": overlap}
    whole, log = trained(tmp_path / "a", CHASER, 3, **plan)
    script = KILLED.replace("{chaser}", repr(SMALL["chaser"])).replace("{tiny}", repr(plan))
    for writes in (1, 4, 5):
        command = [sys.executable, "-c", script, str(tmp_path / "b"), str(writes)]
        ended = subprocess.run(command, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}, check=False)
        assert ended.returncode == -signal.SIGKILL
    parts, log_of_parts = trained(tmp_path / "b", CHASER, 3, **plan)
    assert same(whole, parts)
    assert log == log_of_parts


def test_the_pool_plays_and_is_counted(tmp_path):
    _, log = trained(tmp_path, CHASER, 4, games=8)
    assert all(sum(map(sum, row["pool"].values())) == 4 for row in log[1:])
    run = runs.TrainingRun(tmp_path, runs.TrainingPlan(CHASER, **(TINY | {"games": 8})))
    table = run.league(0).table()
    assert [row.name for row in table] == [*CHASER.policies, "iteration 2", "iteration 4"]
    assert sum(row.games for row in table) == 16
    assert sorted(path.name for path in (tmp_path / "pool").iterdir()) == ["000002.npz", "000004.npz"]


def test_a_teacher_plays_the_first_iterations(tmp_path):
    """The network learns the policy that was played: mostly the teacher's codes."""
    game = masume.load("nezumi", stage="garden")
    network = Network(game, hidden=(8,))
    samples = teach(network, [3, 4], "greedy", lambda _: None).samples
    wanted = samples.policies.astype(np.float32)
    np.testing.assert_allclose(np.maximum(wanted, 0).sum(axis=-1), 1, atol=0.02)
    counts = (wanted >= 0).sum(axis=-1)
    np.testing.assert_allclose(wanted.max(axis=-1), 1 - SLIPS + SLIPS / counts, atol=0.01)
    assert set(np.abs(samples.results.astype(np.float32)).reshape(-1)) == {1}
    fields = {"teacher": "greedy", "taught": 2, "games": 8, "against": ("random",), "measure_every": 3}
    _, log = trained(tmp_path, game, 3, **fields)
    assert [bool(row["pool"]) for row in log] == [False, False, False, True]
    assert [list(row["measured"]) for row in log] == [["random"], [], [], ["random"]]
    assert "<svg" in (tmp_path / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("channels", [0, 6])
@pytest.mark.parametrize("name", ["chaser", "kakomimasu"])
def test_torch_and_numpy_agree(name, channels):
    game = masume.load(name, **SMALL[name])
    network = Network(game, hidden=(16, 16), channels=channels, seed=5)
    rows = np.random.default_rng(1).random((7, network.inputs), np.float32)
    other = TorchNetwork(game, hidden=(16, 16), channels=channels, weights=network.weights)
    for mine, theirs in zip(network.forward(rows), other.forward(rows), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)


def test_a_learner_learns_what_it_is_shown():
    network = Network(UNTURNED, hidden=(16,), seed=5)
    rng = np.random.default_rng(1)
    policies = np.full((40, 1, UNTURNED.num_actions), ILLEGAL, np.float16)
    policies[:, 0, :4] = 0
    policies[np.arange(40), 0, np.arange(40) % 4] = 1
    rows = rng.random((40, network.inputs)).astype(np.float16)
    results = np.where(np.arange(40)[:, None] % 2, [1, -1, -1], [-1, 1, -1]).astype(np.float16)
    learner = Learner(network, 2e-3)
    first = learner.learn(Samples(rows, policies, results), 1, 40, rng)
    last = learner.learn(Samples(rows, policies, results), 300, 40, rng)
    end = learner.learn(Samples(rows, policies, results), 1, 40, rng)
    assert learner.steps == 302
    assert end["policy"] < last["policy"] < first["policy"]
    assert end["policy"] < 0.1
    assert end["value"] < 0.1 < first["value"]
    assert end["entropy"] == 0


def test_a_learner_turns_what_it_is_shown():
    """It is shown one position with one code; the policy in the mirrored one becomes the mirrored code."""
    game = masume.load("nezumi", stage="garden")
    network = Network(game, hidden=(32,), seed=2)
    places, codes = network.symmetries()
    assert len(places) == 2
    state = game.new_state()
    for _ in range(3):  # mice come in, not in the middle
        state.apply(int(state.legal_actions()[0]))
    legal = state.legal_mask() != 0
    policies = np.where(legal, 0, ILLEGAL).astype(np.float16)[None, None]
    code = np.flatnonzero(legal)[0]
    policies[0, 0, code] = 1
    view = {name: state.observation(1)[name][None] for name in network.observe}
    row = network.rows(view, np.array([1]))
    turned = row[:, places[1]]
    assert (turned != row).any()
    shown = Samples(row.astype(np.float16), policies, np.zeros((1, 2), np.float16))
    Learner(network, 1e-2).learn(shown, 60, 8, np.random.default_rng(1))
    logits, _ = network.forward(np.concatenate([row, turned]))
    best = np.where([legal, legal[codes[1]]], logits[:, 0], -np.inf).argmax(axis=-1)
    assert best.tolist() == [code, codes[1][code]]


# -- faults ---------------------------------------------------------------------------------------------


def test_losses_that_are_not_numbers_stop_a_run(tmp_path):
    trained(tmp_path, CHASER, 1)
    run = runs.TrainingRun(tmp_path, runs.TrainingPlan(CHASER, **TINY))
    run._learner._parameters["value.bias"].data[:] = float("nan")
    with pytest.raises(masume.TrainingError, match="the loss is nan"):
        list(run.train(2))
    assert np.isfinite(Network.load(tmp_path, CHASER).weights["value.bias"]).all()
    assert runs.TrainingRun(tmp_path, runs.TrainingPlan(CHASER, **TINY)).iterations == 1


def test_a_full_disk_keeps_the_last_iteration(tmp_path, monkeypatch):
    whole, _ = trained(tmp_path / "a", CHASER, 2)
    trained(tmp_path / "b", CHASER, 1)

    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("masume.core.files.system.sync_file", fail)
        with pytest.raises(OSError, match=re.escape(str(tmp_path / "b"))):
            trained(tmp_path / "b", CHASER, 2)
    assert same(trained(tmp_path / "b", CHASER, 2)[0], whole)


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    trained(tmp_path, CHASER, 1)
    path = re.escape(str(tmp_path / runs.CHECKPOINT))
    with pytest.raises(masume.ConfigError, match=f"simulations: expected 4, as {path} has it, got 5"):
        runs.TrainingRun(tmp_path, runs.TrainingPlan(CHASER, **(TINY | {"simulations": 5})))
    with pytest.raises(masume.ConfigError, match=f"game: {path} is of chaser, not of nezumi"):
        runs.TrainingRun(tmp_path, runs.TrainingPlan(masume.load("nezumi", stage="garden"), **TINY))
    other = masume.load("chaser", **(SMALL["chaser"] | {"n_items": 6}))
    with pytest.raises(masume.ConfigError, match="n_items: expected 4"):
        runs.TrainingRun(tmp_path, runs.TrainingPlan(other, **TINY))


@pytest.mark.parametrize("what", ["half", "moments", "log", "kind", "NaN"])
def test_a_damaged_checkpoint_is_named(what, tmp_path):
    trained(tmp_path, CHASER, 1)
    path = tmp_path / runs.CHECKPOINT
    header, arrays = unpack(path.read_bytes())
    if what == "half":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    else:
        if what == "moments":
            arrays["exp_avg.value.bias"] = np.zeros(5, np.float32)
        elif what == "log":
            header["log"] = [{"iteration": "one"}]
        elif what == "kind":
            header["kind"] = "network"
        else:
            arrays["value.bias"] = np.full(2, np.nan, np.float32)
        path.write_bytes(pack(header, arrays))
    with pytest.raises(masume.ReplayError, match=re.escape(str(path))):
        runs.TrainingRun(tmp_path, runs.TrainingPlan(CHASER, **TINY))


def test_damaged_samples_are_named(tmp_path):
    trained(tmp_path, CHASER, 1)
    path = tmp_path / "samples" / "000001.npz"
    header, arrays = unpack(path.read_bytes())
    path.write_bytes(pack(header, arrays | {"results": arrays["results"][:-1]}))
    with pytest.raises(masume.ReplayError, match=re.escape(str(path))):
        trained(tmp_path, CHASER, 2)


def test_a_damaged_network_of_the_pool_is_named(tmp_path):
    trained(tmp_path, CHASER, 2)
    path = tmp_path / "pool" / "000002.npz"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(masume.ReplayError, match=re.escape(str(path))):
        trained(tmp_path, CHASER, 4, games=TINY["games"])


def test_samples_that_are_missing_are_named(tmp_path):
    trained(tmp_path, CHASER, 1)
    path = tmp_path / "samples" / "000001.npz"
    path.unlink()
    with pytest.raises(OSError, match=re.escape(str(path))):
        trained(tmp_path, CHASER, 2)


def test_weights_that_fade_are_flushed():
    """Weights of numbers that are always 0 decay to numbers that are slow to compute with."""
    Learner(Network(UNTURNED, hidden=(4,)), 1e-3)
    assert not (torch.full((64,), 1e-38) * 0.1).any()


def test_two_runs_cannot_share_a_folder(tmp_path):
    run = runs.TrainingRun(tmp_path, runs.TrainingPlan(CHASER, **TINY))
    rows = run.train(1)
    next(rows)
    with pytest.raises(masume.ConfigError, match="in use by another run"):
        next(runs.TrainingRun(tmp_path, runs.TrainingPlan(CHASER, **TINY)).train(2))
    rows.close()


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"games": 0}, "games: expected 1..65536, got 0"),
        ({"games": 4, "parts": 5}, "parts: expected 1..4, got 5"),
        ({"simulations": 1}, "simulations: expected 2..10000, got 1"),
        ({"rate": 2.0}, "rate: "),
        ({"pool": -0.1}, "pool: "),
        ({"channels": -1}, "channels: "),
        ({"blocks": 33}, "blocks: "),
        ({"taught": 1}, "taught: expected 1 or more with a teacher, 0 without, got 1"),
        ({"teacher": "forager"}, "taught: expected 1 or more with a teacher, 0 without, got 0"),
        ({"teacher": "nobody", "taught": 1}, "agents: unknown agent 'nobody'"),
        ({"measure_every": 0}, "measure_every: "),
        ({"against": ("nobody",)}, "agents: unknown agent 'nobody'"),
        ({"playouts": 1.1}, "playouts: expected 0..1, got 1.1"),
        ({"overlap": 1}, "overlap: expected True or False, got 1"),
    ],
)
def test_bad_plans_are_named(fields, told):
    with pytest.raises(masume.ConfigError, match=told):
        runs.TrainingPlan(CHASER, **fields)


def test_the_command_trains_and_goes_on(tmp_path, capsys):
    fields = [f"--set={name}={value}" for name, value in SMALL["chaser"].items()]
    options = ["--games", "4", "--simulations", "4", "--hidden", "16", "--measured", "4", "--against", "random"]
    command = ["train", "chaser", *fields, *options, "--out", str(tmp_path / "run")]
    assert cli.main([*command, "--iterations", "1"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("iteration 0; random ")
    assert out[1].startswith("iteration 1; losses ")
    assert out[2] == f"page: {tmp_path / 'run' / 'index.html'}"
    assert cli.main([*command, "--iterations", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["iterations"] == 2
    assert [row["iteration"] for row in found["log"]] == [0, 1, 2]
    assert cli.main([*command, "--simulations", "5"]) == 1
    assert "simulations: expected 4" in capsys.readouterr().err


# -- on a cluster ---------------------------------------------------------------------------------------

SPREAD = {"games": 8, "parts": 4, "teacher": "py:players:DiesOnce", "taught": 1, "overlap": True}
"""A teacher, then the network and a pool; its first worker dies."""


def test_without_ray_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(masume.ConfigError, match=r"^ray is not installed"):
        next(runs.TrainingRun(tmp_path, runs.TrainingPlan(CHASER, **TINY)).train(1, ray="local"))


ON_RAY = """
import sys
import masume
from masume.learn import run as runs

game = masume.load("chaser", **{chaser})
for iterations in (1, 3):
    for _ in runs.TrainingRun(sys.argv[1], runs.TrainingPlan(game, **{plan})).train(iterations, ray="local"):
        pass
"""


def test_a_cluster_trains_the_same_network_although_a_worker_dies(tmp_path, monkeypatch):
    """Two runs, the second of which goes on; the games of the worker that was killed are played again."""
    pytest.importorskip("ray")
    monkeypatch.setenv("LIFE", "nowhere")
    whole, log = trained(tmp_path / "a", CHASER, 3, **SPREAD)
    life = tmp_path / "life"
    life.write_text("")
    script = ON_RAY.replace("{chaser}", repr(SMALL["chaser"])).replace("{plan}", repr(TINY | SPREAD))
    path = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    environment = os.environ | {"PYTHONPATH": path, "LIFE": str(life)}
    subprocess.run([sys.executable, "-c", script, tmp_path / "b"], env=environment, check=True, timeout=300)
    assert not life.exists()
    parts, log_of_parts = trained(tmp_path / "b", CHASER, 3, **SPREAD)
    assert same(whole, parts)
    assert log == log_of_parts
    assert (tmp_path / "a" / FILE).read_bytes() == (tmp_path / "b" / FILE).read_bytes()


def test_an_address_without_a_cluster_is_refused(tmp_path):
    pytest.importorskip("ray")
    with pytest.raises(masume.ConfigError, match=r"ray: 127\.0\.0\.1:1: "):
        next(runs.TrainingRun(tmp_path, runs.TrainingPlan(CHASER, **TINY)).train(1, ray="127.0.0.1:1"))


# -- strength -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_two_minutes_of_training_raise_the_rating(seed, tmp_path):
    """The 95 % interval of the last score against random is above that of the first one."""
    fields = {"width": 5, "height": 5, "n_agents": 1, "total_turns": 12}
    points = masume.load("kakomimasu", **fields).config.board_points()
    game = masume.load("kakomimasu", **fields, points=list(points))  # one board: with many it takes longer
    plan = runs.TrainingPlan(game, seed=seed, games=64, hidden=(64, 64), against=("random",), measured=100, passes=4.0)
    rows = list(runs.TrainingRun(tmp_path, plan).train(20, 120.0))
    first, last = rows[0]["measured"]["random"], rows[-1]["measured"]["random"]
    assert last["low"] > first["high"]
