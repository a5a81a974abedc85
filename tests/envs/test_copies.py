"""What a step returned stays, and a copy of an environment plays on as its original does."""

import copy
import pickle

import numpy as np
import pytest

import masume
import players
from masume.agent import ScriptedAgent
from masume.core.rng import Rng
from masume.envs.common import camel
from masume.play.league import League

gymnasium = pytest.importorskip("gymnasium", reason="the extra `envs` is not installed")

from masume.envs import pettingzoo  # noqa: E402
from masume.envs.gymnasium import Env, VectorEnv  # noqa: E402

MODES = ("NextStep", "SameStep", "Disabled")
COPIES = {"pickle": lambda one: pickle.loads(pickle.dumps(one)), "deepcopy": copy.deepcopy}


class Drawing(ScriptedAgent):
    """Agent that plays by its own random numbers."""

    name = "drawing"

    def act(self, view):
        actions = [self.one_of(view.legal_actions(slot).tolist()) for slot in view.slots]
        return actions if view.game.num_slots > 1 else actions[0]


def choose(mask, rng):
    """Return a random legal code for each mask along the last axis."""
    flat = mask.reshape(-1, mask.shape[-1])
    codes = [int(legal[rng.below(len(legal))]) for legal in map(np.flatnonzero, flat)]
    return np.array(codes, np.int64).reshape(mask.shape[:-1])


def flat(given, name=""):
    """Yield (name, array) of everything in what an environment returned; objects that are None are left out."""
    if isinstance(given, dict):
        for key, value in given.items():
            yield from flat(value, f"{name}/{key}")
    elif isinstance(given, tuple | list) or (isinstance(given, np.ndarray) and given.dtype == object):
        for key, value in enumerate(given):
            yield from flat(value, f"{name}/{key}")
    elif given is not None:
        yield name, np.asarray(given)


def play(env, steps, rng, info=None):
    """Step a vector environment; return all that it returned, and the last infos."""
    found = []
    if info is None:
        found.append(env.reset(seed=3))
        info = found[-1][1]
    for _ in range(steps):
        found.append(env.step(choose(info["action_mask"], rng)))
        info = found[-1][4]
        if env.metadata["autoreset_mode"].value == "Disabled" and found[-1][2].any():
            found.append(env.reset(options={"reset_mask": found[-1][2]}))
            info = found[-1][1]
    return found, info


def assert_equal(one, other):
    pairs = list(zip(flat(one), flat(other), strict=True))
    assert pairs
    for (name, array), (its, twin) in pairs:
        assert name == its
        assert array.tobytes() == twin.tobytes() or np.array_equal(array, twin), name


# -- what a step returned -----------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("opponents", [None, "random", Drawing])
def test_what_steps_returned_stays_as_it_was(game, mode, opponents):
    """Kept arrays equal the values at the time, which are those of `copy=False`; no step writes into them."""
    options = {"autoreset_mode": mode, "opponents": opponents}
    env, plain = VectorEnv(game, 5, **options), VectorEnv(game, 5, copy=False, **options)
    kept, rng, other = [env.reset(seed=3)], Rng(1), Rng(1)
    values = [copy.deepcopy(plain.reset(seed=3))]
    for _ in range(300):
        for one, results, numbers in ((env, kept, rng), (plain, values, other)):
            found = one.step(choose(results[-1][-1]["action_mask"], numbers))
            results.append(copy.deepcopy(found) if one is plain else found)
            if mode == "Disabled" and found[2].any():
                found = one.reset(options={"reset_mask": found[2]})
                results.append(copy.deepcopy(found) if one is plain else found)
        if plain.batch.stats()["games"] > 2:
            break
    assert env.batch.stats()["games"] > 0
    assert_equal(kept, values)
    for name, array in flat(kept):
        assert array.flags.writeable or "/_" in name or array.ndim == 0, name


def test_rows_of_finished_games_stay_when_nothing_restarts_them():
    game = masume.load("nezumi", stage="garden", turns=2)
    env, plain = (VectorEnv(game, 8, autoreset_mode="Disabled", copy=copies) for copies in (True, False))
    (_, info), _ = env.reset(seed=1), plain.reset(seed=1)
    rng = Rng(1)
    while not env.step(actions := choose(info["action_mask"], rng))[2].all():
        found = plain.step(actions)
        for name, array in flat(dict(env.batch.observations, masks=env.batch.masks)):
            its = plain.batch.masks if name == "/masks" else plain.batch.observations[name[1:]]
            assert np.array_equal(array, its)
        info = found[4]
    plain.step(actions)
    assert_equal(env.step(actions), plain.step(actions))


def test_memory_is_used_again_once_nobody_refers_to_it(game):
    """Steps of a loop that keeps two observations take turns with three blocks of memory; kept rows are not touched."""
    env = VectorEnv(game, 3, observe=tuple(game.observation_spec))
    observation, info = env.reset(seed=1)
    rng, seen = Rng(1), set()
    for _ in range(30):
        following, *_, info = env.step(choose(info["action_mask"], rng))
        seen.add(following["scalars"].ctypes.data)
        observation = following
    assert len(seen) <= 3
    row = observation["scalars"][1]
    value = row.copy()
    del observation, following
    for _ in range(10):
        *_, info = env.step(choose(info["action_mask"], rng))
    assert np.array_equal(row, value)


def test_after_an_illegal_action_the_arrays_are_those_of_the_positions(game):
    """With `on_illegal="raise"` the games that are named stay, with their views and masks; the others have moved."""
    env, plain = (VectorEnv(game, 4, on_illegal="raise", copy=copies) for copies in (True, False))
    (_, info), _ = env.reset(seed=1), plain.reset(seed=1)
    rng = Rng(1)
    for k in range(20):
        actions = choose(info["action_mask"], rng)
        if k % 3 == 1 and plain.batch.current_player[1] != -2:
            actions[1] = -1
            for one in (env, plain):
                with pytest.raises(masume.IllegalActionError, match="game 1"):
                    one.step(actions)
            assert_equal([env.batch.observations, env.batch.masks], [plain.batch.observations, plain.batch.masks])
            masks = plain._info(plain.batch.rewards)["action_mask"]
            info = {"action_mask": masks.copy()}
        else:
            found, (*_, info) = plain.step(actions), env.step(actions)
            assert np.array_equal(info["action_mask"], found[4]["action_mask"])


def test_only_changes_needs_copy_false():
    with pytest.raises(masume.ConfigError, match=r"only_changes: expected False with copy=True"):
        VectorEnv("chaser", opponents="random", only_changes=True)
    with pytest.raises(masume.ConfigError, match=r"copy: expected True or False, got 'no'"):
        VectorEnv("chaser", copy="no")


# -- seeds --------------------------------------------------------------------------------------


@pytest.mark.parametrize("opponents", [None, "random", Drawing])
@pytest.mark.filterwarnings("ignore:.*A Box observation space m")
def test_a_list_of_seeds_gives_the_games_of_separate_environments(game, opponents):
    """make_vec's own environment and Gymnasium's around `Env` return the same, also in games after the first."""
    name = f"masume/{camel(game.name)}-v0"
    options = {"num_envs": 4, "opponents": opponents, "game": game}
    env = gymnasium.make_vec(name, **options)
    sync = gymnasium.make_vec(name, vectorization_mode="sync", **options)
    assert env.metadata["autoreset_mode"] is sync.metadata["autoreset_mode"]
    seeds = [7, 2**60, 7, 0]
    found, told = [env.reset(seed=seeds)], [sync.reset(seed=seeds)]
    rng = Rng(1)
    for _ in range(400):
        actions = choose(found[-1][-1]["action_mask"], rng)
        found.append(env.step(actions))
        told.append(sync.step(actions))
        if env.batch.stats()["games"] > 4:  # of four environments
            break
    else:
        pytest.fail("no second game ended")
    for (observation, *results, info), (its, *others, infos) in zip(found, told, strict=True):
        assert_equal([observation, results, info["action_mask"]], [its, others, infos["action_mask"]])
    env.close()
    sync.close()


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_seeds_may_be_a_list_a_tuple_or_an_array(game, kind):
    env, one = VectorEnv(game, 3, opponents="random"), VectorEnv(game, 1, opponents="random")
    observation, _ = env.reset(seed=kind([5, 6, 5]))
    expected, _ = one.reset(seed=6)
    for name, array in observation.items():
        assert np.array_equal(array[1], expected[name][0])
        assert np.array_equal(array[0], array[2])
    masks = np.array([True, False, True])
    before = env.batch.seeds.copy()
    env.reset(seed=kind([6, 6, 6]), options={"reset_mask": masks})
    assert env.batch.seeds.tolist() == [before[1]] * 3


def test_an_env_without_a_seed_goes_on():
    env, twin = VectorEnv("nezumi", 3), VectorEnv("nezumi", 3)
    env.reset(seed=[1, None, 3])
    twin.reset(seed=[1, 2, 3])
    assert env.batch.seeds[[0, 2]].tolist() == twin.batch.seeds[[0, 2]].tolist()
    assert env.batch.seeds[1] != twin.batch.seeds[1]
    env.reset(seed=[1, 2, 3])
    env.reset(seed=[4, None, None])
    twin.reset()
    assert env.batch.seeds[1:].tolist() == twin.batch.seeds[1:].tolist()


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        ([1, 2], r"seed: expected one seed, or 3, one for each game, got \[1, 2\]"),
        ([1, -2, 3], r"seed\[1\]: expected 0\.\.18446744073709551615, got -2"),
        ([1, 2, 2.5], r"seed\[2\]: expected an int, got 2\.5"),
        (np.zeros((3, 1), np.int64), "seed"),
        (np.zeros(3), r"seed\[0\]: expected an int"),
    ],
)
def test_bad_seeds_are_named(seed, message):
    env = VectorEnv("nezumi", 3)
    with pytest.raises(masume.ConfigError, match=message):
        env.reset(seed=seed)
    with pytest.raises(masume.ConfigError, match=message):
        env.batch.reset(seed)


# -- copies of environments -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "mode", "opponents"),
    [
        ("pickle", "NextStep", None),
        ("pickle", "SameStep", "random"),
        ("pickle", "Disabled", Drawing),
        ("deepcopy", "NextStep", Drawing),
        ("deepcopy", "SameStep", None),
        ("deepcopy", "Disabled", "random"),
    ],
)
def test_a_copy_of_a_vector_env_plays_on_equally(game, how, mode, opponents):
    env = VectorEnv(game, 4, autoreset_mode=mode, opponents=opponents, rewards="score", render_mode="ansi")
    rng = Rng(1)
    _, info = play(env, 23, rng)
    before = env.batch.states.tobytes()
    other = COPIES[how](env)
    state = rng.state
    found, _ = play(env, 60, rng, info)
    assert env.batch.states.tobytes() != before
    rng.state = state
    its, _ = play(other, 60, rng, info)
    assert_equal(found, its)
    assert_equal(env.batch.stats(), other.batch.stats())
    assert env.render() == other.render()
    env.close()
    other.close()


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("options", [{"opponents": "random", "copy": False}, {"threads": 2}, {"opponents": "forager"}])
def test_a_copy_has_the_options_of_its_original(how, options):
    small = {"width": 9, "height": 7, "n_blocks": 4, "n_items": 6, "turn_limit": 12}
    env = VectorEnv("chaser", 6, dtype="uint8", **small, **options)
    rng = Rng(1)
    info = copy.deepcopy(play(env, 30, rng)[1])
    other = COPIES[how](env)
    assert (other.batch.pool is None) == (env.batch.pool is None)
    state = rng.state
    found = [copy.deepcopy(play(env, 1, rng, info)[0]) for _ in range(3)]
    rng.state = state
    assert_equal(found, [copy.deepcopy(play(other, 1, rng, info)[0]) for _ in range(3)])


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize(
    ("name", "config", "opponents"),
    [
        ("nezumi", {"stage": "garden"}, ["mcts:60", "mcts:200/turn", "alphabeta:300", "greedy"]),
        ("nezumi", {"stage": "pantry"}, ["net:pantry", "net:pantry:8"]),
        ("kakomimasu", {"width": 5, "height": 4, "n_agents": 1, "total_turns": 12}, ["beam:300", "greedy", "mcts:60"]),
        ("chaser", {"width": 7, "height": 7, "n_blocks": 4, "n_items": 5, "turn_limit": 12}, ["mcts:40", "greedy"]),
        ("battleship", {"preset": "submarine", "width": 4, "height": 3}, ["hunter:hard", "careful", "mcts:20"]),
        ("terraforming", {"max_turns": 12}, ["greedy", "settler"]),
    ],
)
def test_opponents_that_search_or_remember_play_on_equally(how, name, config, opponents):
    for opponent in opponents:
        env = VectorEnv(name, 2, opponents=opponent, player=None, **config)
        rng = Rng(1)
        _, info = play(env, 4, rng)
        other = COPIES[how](COPIES[how](env))
        state = rng.state
        found, _ = play(env, 8, rng, info)
        rng.state = state
        assert_equal(found, play(other, 8, rng, info)[0])
        env.close()
        other.close()


@pytest.mark.parametrize("how", COPIES)
def test_a_league_is_copied_with_its_table_and_draws(how):
    league = League({"random": "random", "drawing": Drawing}, seed=4)
    env = VectorEnv("nezumi", 4, opponents=league, stage="garden", turns=3)
    rng = Rng(1)
    _, info = play(env, 40, rng)
    other = COPIES[how](env)
    state, told = rng.state, league.table()
    its, _ = play(other, 60, rng, info)
    assert league.table() == told
    rng.state = state
    assert_equal(play(env, 60, rng, info)[0], its)
    assert other._opponents.casts[0][1].table() == league.table() != told


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("opponents", [None, "random", Drawing])
def test_a_copy_of_a_single_env_plays_on_equally(game, how, opponents):
    env = gymnasium.make(f"masume/{camel(game.name)}-v0", game=game, opponents=opponents, disable_env_checker=True)
    _, info = env.reset(seed=2)
    rng = Rng(1)
    for _ in range(3):
        *_, info = env.step(choose(info["action_mask"], rng))
    twins = [env, COPIES[how](env), Env(game, opponents=opponents)]
    assert np.array_equal(twins[1].unwrapped.action_masks(), env.unwrapped.action_masks())
    results = []
    for one in twins[:2]:
        numbers, its, over = Rng(5), [], info
        for _ in range(40):
            its.append(one.step(choose(over["action_mask"], numbers)))
            over = its[-1][4]
            if its[-1][2]:
                its.append(one.reset())
                over = its[-1][1]
        results.append(its)
    assert_equal(*results)


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("make", [pettingzoo.env, pettingzoo.raw_env])
def test_a_copy_of_a_sequential_env_plays_on_equally(game, how, make):
    env = make(game)
    env.reset(seed=5)
    rng = Rng(1)

    def go_on(env, rng):
        found = []
        for _ in range(60):
            observation, reward, over, _, _ = env.last()
            found.append((env.agent_selection, observation, reward, over))
            if over:
                env.reset()
                continue
            env.step(int(choose(observation["action_mask"], rng)))
        return [one[1:] for one in found], [one[0] for one in found]

    go_on(env, rng)
    other, state = COPIES[how](env), rng.state
    found, agents = go_on(env, rng)
    its, selected = go_on(other, Rng(state))
    assert agents == selected
    assert_equal(found, its)
    assert_equal(env.state(), other.state())


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_of_a_parallel_env_plays_on_equally(game, how):
    env = pettingzoo.parallel_env(game)
    observations, _ = env.reset(seed=5)

    def go_on(env, observations, rng):
        found = []
        for _ in range(40):
            actions = {}
            for agent, seen in observations.items():
                mask = seen["action_mask"]
                actions[agent] = choose(np.stack(mask) if isinstance(mask, tuple) else mask, rng)
            observations, *results = env.step(actions)
            found.append((observations, *results[:3]))
            if not env.agents:
                observations, _ = env.reset()
        return found, observations

    _, observations = go_on(env, observations, Rng(1))
    other = COPIES[how](env)
    assert_equal(go_on(env, observations, Rng(2))[0], go_on(other, observations, Rng(2))[0])


def test_what_cannot_be_copied_says_so():
    env = VectorEnv("nezumi", opponents=lambda: players.Raises())
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(env)
