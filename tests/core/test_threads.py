"""Many Python threads at once, with and without the GIL: each finds what a single thread finds."""

import contextlib
import hashlib
import subprocess
import sys
import sysconfig
import threading
import time
from pathlib import Path

import pytest

import masume
from masume.agent import View
from masume.agents.make import make_agent
from masume.core._perft import perft
from masume.core.rng import Rng
from masume.play.selfplay import selfplay
from masume.records import replay
from masume.search import MCTS, AlphaBeta, Beam, solve

THREADS = 4
GAMES = {
    "battleship": {"width": 5, "height": 4, "max_rounds": 12},
    "chaser": {"height": 6, "width": 5, "n_blocks": 4, "n_items": 4, "turn_limit": 12},
    "kakomimasu": {"width": 6, "height": 5, "n_agents": 2, "total_turns": 8},
    "nezumi": {"stage": "garden", "turns": 8},
    "terraforming": {"radius": 2, "max_turns": 4},
}


@pytest.fixture(params=GAMES)
def game(request):
    return masume.load(request.param, **GAMES[request.param])


@pytest.fixture(autouse=True)
def _switches_often():
    """With a GIL, threads switch every 10 us, so that they meet within calls of that length."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def together(*works):
    """Return the results of these functions, all started at the same moment, each on its own thread."""
    gate, found, errors = threading.Barrier(len(works)), [None] * len(works), []

    def run(k):
        gate.wait()
        try:
            found[k] = works[k]()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return found


def assert_same_on_all(work):
    """Check that work(k) for k in 0..THREADS-1, alone and then together, returns the same each time."""
    alone = [work(k) for k in range(THREADS)]
    assert together(*(lambda k=k: work(k) for k in range(THREADS))) == alone


def look_at(state):
    """Return a digest of everything that a State reports without being changed."""
    digest = hashlib.sha256(state.to_bytes())
    copy = state.clone()
    digest.update(copy.clone().to_bytes())
    digest.update(state.legal_actions().tobytes() + state.legal_mask().tobytes())
    digest.update(state.scores().tobytes() + state.returns().tobytes() + state.array.tobytes())
    for player in range(state.game.num_players):
        for field in state.observation(player).values():
            digest.update(field.tobytes())
        digest.update(repr(state.events(player)).encode() + state.information_state(player).encode())
    digest.update(f"{state}{state.key}{state.history}{state.to_dict()}".encode())
    return digest.hexdigest()


def play(game, seed):
    """Return digests of a random game's positions."""
    state, rng, found = game.new_state(seed), Rng(seed), []
    while not state.is_terminal():
        actions = []
        for slot in range(len(state.slots)):
            legal = state.legal_actions(slot)
            actions.append(int(legal[rng.below(len(legal))]))
        state.apply(actions if game.num_slots > 1 else actions[0])
        found.append(look_at(state))
    return found


def step(batch, steps=40):
    """Return what random steps and a playout leave in the batch."""
    for _ in range(steps):
        batch.sample_actions()
        batch.step()
    arrays = (batch.states, batch.rewards, batch.seeds, *batch.observations.values())
    return batch.playout(), [array.tobytes() for array in arrays]


def modules():
    """Return the names of masume's compiled modules."""
    folder = Path(__file__).parents[2] / "cython" / "masume"
    return ["core._cyutility", *sorted(f"{path.parent.name}.{path.stem}" for path in folder.glob("*/_*.pyx"))]


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has a GIL")
def test_the_gil_stays_off():
    names = ", ".join(f"masume.{name}" for name in modules())
    ask = f"import sys, masume, {names}; sys.exit(sys._is_gil_enabled())"
    found = subprocess.run([sys.executable, "-W", "error", "-c", ask], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr


# -- each thread has its own --------------------------------------------------------------------------


def test_states(game):
    assert_same_on_all(lambda seed: [play(game, 10 * seed + k) for k in range(4)])


def test_states_come_and_go(game):
    """Spare blocks of States are reused, by another thread only if nothing else has them."""

    def work(seed):
        states, rng = [game.new_state(seed) for _ in range(30)], Rng(seed)
        for _ in range(1500):
            k = rng.below(len(states))
            states[k] = game.new_state(k) if rng.below(2) else states[rng.below(len(states))].clone()
        return [state.to_bytes() for state in states]

    assert_same_on_all(work)


def test_states_end_on_another_thread(game):
    """One thread creates States that another releases."""
    states = [[] for _ in range(THREADS)]

    def work(k):
        for seed in range(600):
            states[k].append(game.new_state(seed))
            if states[k - 1]:
                states[k - 1].pop().check()

    together(*(lambda k=k: work(k) for k in range(THREADS)))


@pytest.mark.parametrize("threads", [1, 2])
def test_batches(game, threads):
    assert_same_on_all(lambda seed: step(game.batch(300, seed=seed, threads=threads, final_observations=True)))


def searchers(name):
    """Return functions from (game, state) to a search's answer."""
    found = {"mcts": lambda game, state: MCTS(game, simulations=300).search(state, seed=3).actions}
    found["two trees"] = lambda game, state: MCTS(game, simulations=300, threads=2).search(state, seed=3).actions
    if name == "nezumi":
        found["alphabeta"] = lambda game, state: AlphaBeta(game, nodes=2000).search(state).line
    if name == "kakomimasu":
        found["beam"] = lambda game, state: Beam(game, simulations=2000).search(state, 0, seed=4).codes.tolist()
    return found


def test_searches(game):
    """All searches read the same State."""
    state = game.new_state(5)
    for search in searchers(game.name).values():
        assert_same_on_all(lambda k, search=search: search(game, state))


def test_solving_and_perft():
    game = masume.load("nezumi", stage="garden", turns=2)
    state = game.new_state()
    assert_same_on_all(lambda k: (perft(state, 2), solve(state).values))


def test_agents(game):
    """Policies play with one generator per thread."""

    def work(k):
        agent, state = make_agent(game.policies[-1], game), game.new_state(k)
        agent.start(game, 0, k)
        view = View(state, 0)
        return agent.act(view) if 0 in state.slots else None

    assert_same_on_all(work)


@pytest.mark.parametrize("threads", [1, 2])
def test_selfplay(threads, tmp_path):
    games = [masume.load(name, **fields) for name, fields in GAMES.items()]

    def work(k, out):
        selfplay(games, ["random", "py:players:Random"], num_games=10, seed=k, threads=threads, out=out)
        return [path.read_bytes() for path in sorted(out.glob("[rgp]*/**/*")) if path.is_file()]

    alone = [work(k, tmp_path / f"alone-{k}") for k in range(THREADS)]
    assert together(*(lambda k=k: work(k, tmp_path / f"together-{k}") for k in range(THREADS))) == alone
    assert all(alone)


def test_replays(game, tmp_path):
    """Write records and read them again, which replays every move."""
    selfplay([game], ["random"], num_games=8, out=tmp_path / "run")
    games = replay.load(tmp_path / "run")

    def work(k):
        replay.save(tmp_path / "shared.jsonl", games)
        replay.save(tmp_path / f"{k}.jsonl", games[: k + 1])
        return [look_at(state) for one in replay.load(tmp_path / f"{k}.jsonl") for state in one.states()]

    assert_same_on_all(work)
    assert [one.scores for one in replay.load(tmp_path / "shared.jsonl")] == [one.scores for one in games]


def test_envs(game):
    pytest.importorskip("gymnasium", reason="the extra `envs` is not installed")
    from masume.envs.gymnasium import VectorEnv

    def work(k):
        env, found = VectorEnv(game, 8), []
        _, info = env.reset(seed=k)
        for _ in range(30):
            codes = info["action_mask"].argmax(-1).reshape(env.action_space.shape)
            observation, rewards, ended, _, info = env.step(codes)
            found += [rewards.tobytes(), ended.tobytes(), *(field.tobytes() for field in observation.values())]
        return found

    assert_same_on_all(work)


# -- threads share one --------------------------------------------------------------------------------


def test_a_shared_state_is_looked_at(game):
    state = game.new_state(2)
    wanted = look_at(game.new_state(2))
    assert together(*[lambda: {look_at(state) for _ in range(30)}] * THREADS) == [{wanted}] * THREADS


def test_shared_states_are_cloned_for_the_first_time(game):
    """All threads clone one State after the other, and meet where a State creates what its clones share."""
    states = [game.new_state(seed) for seed in range(300)]
    wanted = [state.to_bytes() for state in states]
    assert together(*[lambda: [state.clone().clone().to_bytes() for state in states]] * THREADS) == [wanted] * THREADS


def test_a_shared_game_is_filled_in_once(game):
    """A Game and its config compute some data on first use; games are equal whichever thread came first."""
    for _ in range(20):
        fresh = masume.load(game.name, **GAMES[game.name])
        found = together(*[lambda fresh=fresh: (fresh.public, hash(fresh), look_at(fresh.new_state(1)))] * THREADS)
        assert found == [found[0]] * THREADS


def once_alone(call, refusal):
    """Return what `call()` returns while no other thread is inside; otherwise check the RuntimeError."""
    while True:
        try:
            return call()
        except RuntimeError as error:
            if refusal not in str(error):
                raise
        time.sleep(0.0001)


def test_a_shared_batch_refuses_the_second_and_stays_whole(game):
    batch, refusal = game.batch(400, seed=1, threads=2), "batch: another thread is inside"

    def work():
        for _ in range(30):
            once_alone(batch.sample_actions, refusal)
            with contextlib.suppress(masume.IllegalActionError):  # another thread has stepped in between
                once_alone(batch.step, refusal)
            once_alone(lambda: batch.load([8], [batch.state(7)]), refusal)

    together(*[work] * THREADS)
    for row in range(len(batch)):
        batch.state(row).check()


def test_a_shared_search_refuses_the_second():
    game = masume.load("nezumi", **GAMES["nezumi"])
    search, state = MCTS(game, simulations=300), game.new_state()

    def work():
        found = once_alone(lambda: search.search(state, seed=3), "search: another search is running")
        return found.simulations

    # each builds on the results of the earlier ones
    assert sorted(together(*[work] * THREADS)) == [300 * k for k in range(1, THREADS + 1)]
