"""VectorEnv and Env give the results of Batch and State, and pass Gymnasium's own checks."""

import contextlib
import pickle
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import masume
import players
from cases import GAMES
from masume.agent import View
from masume.agents.make import make_agent
from masume.core.rng import Rng, stream
from masume.play.league import League
from toy import Counting

gymnasium = pytest.importorskip("gymnasium", reason="the extra `envs` is not installed")

from gymnasium import error  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

from masume.envs.common import camel  # noqa: E402
from masume.envs.gymnasium import Env, VectorEnv  # noqa: E402

MODES = {"SameStep": "same_step", "NextStep": "next_step", "Disabled": "disabled"}
STEPS = 300


class First:
    """Agent that plays the first legal action of each slot."""

    name = "first"

    def start(self, game, player, seed):
        self.player, self.seed = player, seed

    def act(self, view):
        assert view.player == self.player
        actions = [int(view.legal_actions(slot)[0]) for slot in view.slots]
        return actions if view.game.num_slots > 1 else actions[0]

    def close(self):
        self.closed = True


def choose(mask, rng):
    """Return a legal code for each mask along the last axis, 0 if nothing is legal."""
    flat = mask.reshape(-1, mask.shape[-1])
    codes = [int(legal[rng.below(len(legal))]) if len(legal := np.flatnonzero(row)) else 0 for row in flat]
    return np.array(codes, np.int64).reshape(mask.shape[:-1])


def neutral_mask(game):
    """Return the mask of a finished row: the neutral code of each slot."""
    start = game.new_state()
    codes = np.array([start.fallback(slot) for slot in range(game.num_slots)])
    return (np.arange(game.num_actions) == codes[:, None]).astype(np.int8)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("opponents", [None, "random"])
def test_no_mask_is_ever_empty(game, mode, opponents):
    """A masked softmax is finite in every row of every step, also in rows whose game is over."""
    env = VectorEnv(game, 5, autoreset_mode=mode, opponents=opponents)
    _, info = env.reset(seed=3)
    rng, ends = Rng(1), 0
    for _ in range(STEPS):
        assert info["action_mask"].any(axis=-1).all()
        _, _, terminated, _, info = env.step(choose(info["action_mask"], rng))
        ends += terminated.sum()
    assert ends
    assert env.batch.stats()["fallbacks"] == 0


def test_spaces_are_bounded_and_hold_every_observation(game):
    """Float fields have finite bounds, and random games stay within them."""
    spec = game.observation_spec
    env = VectorEnv(game, 8, observe=tuple(spec))
    for name, (_, dtype) in spec.items():
        space = env.single_observation_space[name]
        assert space.is_bounded()
        assert (space.low < space.high).any()
        if dtype.kind == "f":
            assert np.abs(space.high).max() <= 2**31
    observation, info = env.reset(seed=1)
    rng = Rng(1)
    for _ in range(STEPS):
        for name, array in observation.items():
            space = env.observation_space[name]
            assert (array >= space.low).all(), name
            assert (array <= space.high).all(), name
        observation, *_, info = env.step(choose(info["action_mask"], rng))


def test_several_games_share_a_space_that_holds_all():
    games = [masume.load("kakomimasu", width=2, height=1, n_agents=1, points=[point, 0]) for point in (-32, 48)]
    space = VectorEnv(games, 2).single_observation_space["planes"]
    assert (space.low.min(), space.high.max()) == (-2.0, 3.0)


def test_pictures_of_envs(game):
    """`rgb_array` gives a picture per env, of one size, that changes with the position."""
    env = VectorEnv(game, 2, render_mode="rgb_array")
    _, info = env.reset(seed=1)
    first = env.render()
    assert len(first) == 2
    assert first[0].dtype == np.uint8
    assert first[0].shape[2] == 3
    rng = Rng(1)
    for _ in range(8):
        *_, info = env.step(choose(info["action_mask"], rng))
    assert env.render()[0].shape == first[0].shape
    assert not np.array_equal(env.render()[0], first[0])


def test_an_unknown_option_is_refused_as_python_does():
    """TorchRL tells by these words whether an environment skips frames by itself."""
    words = "frameskip: .*unexpected keyword argument 'frameskip'"
    with pytest.raises(TypeError, match=words):
        gymnasium.make("masume/Chaser-v0", frameskip=4)
    with pytest.raises(masume.ConfigTypeError, match=words):
        VectorEnv(masume.load("chaser"), 1, frameskip=4)


def test_a_game_without_pictures_is_refused():
    game = masume.load(Counting())
    with pytest.raises(masume.ConfigError, match="render_mode: counting has no pictures"):
        VectorEnv(game, 1, observe=("planes",), render_mode="rgb_array")


@pytest.mark.slow
def test_record_video(tmp_path):
    """Gymnasium's RecordVideo writes a film of an Env."""
    pytest.importorskip("moviepy")
    env = gymnasium.make("masume/Nezumi-v0", turns=4, opponents="random", render_mode="rgb_array")
    with gymnasium.wrappers.RecordVideo(env, str(tmp_path / "films"), episode_trigger=lambda _: True) as film:
        _, info = film.reset(seed=1)
        over = False
        while not over:
            _, _, over, _, info = film.step(int(info["action_mask"].argmax()))
    assert (tmp_path / "films" / "rl-video-episode-0.mp4").stat().st_size > 1000


@pytest.mark.parametrize("mode", MODES)
def test_self_play_is_the_batch(game, mode):
    """Observations, masks, ends and rewards equal those of Batch in the same mode."""
    env = VectorEnv(game, 6, autoreset_mode=mode, rewards="score")
    batch = game.batch(6, seed=5, autoreset=MODES[mode], rewards="score", final_observations=True)
    observation, info = env.reset(seed=5)
    assert env.metadata["autoreset_mode"] is AutoresetMode(mode)
    rng, ends = Rng(1), 0
    for _ in range(STEPS):
        mask = info["action_mask"]
        assert mask.dtype == np.int8
        over = batch.current_player == -2
        assert mask[~over].tobytes() == batch.masks[~over].tobytes()
        assert not batch.masks[over].any()
        neutral = neutral_mask(game)
        for row in mask[over].reshape(over.sum(), *neutral.shape):
            assert np.array_equal(row, neutral)
        assert env.observation_space.contains(observation)
        actions = choose(mask, rng)
        mover = batch.current_player.copy()
        batch.step(actions.reshape(6, -1).astype(np.int32))
        observation, reward, terminated, truncated, info = env.step(actions)
        ended = batch.terminated & (mover != -2)
        ends += ended.sum()
        assert np.array_equal(terminated, batch.terminated)
        assert not truncated.any()
        assert np.array_equal(info["current_player"], batch.current_player)
        assert np.array_equal(info["rewards"], batch.rewards)
        assert np.array_equal(reward, batch.rewards[np.arange(6), np.maximum(mover, 0)])
        for i in range(6):
            last = {
                name: array[i] if game.is_simultaneous else array[i, mover[i]]
                for name, array in batch.final_observations.items()
            }
            for name, array in batch.observations.items():
                is_last = batch.current_player[i] == -2 and not game.is_simultaneous and mover[i] != -2
                if batch.current_player[i] != -2 or is_last:
                    assert np.array_equal(observation[name][i], last[name] if is_last else array[i])
            if mode == "SameStep" and ended[i]:
                assert info["_final_obs"][i]
                assert np.array_equal(info["final_info"]["rewards"][i], batch.rewards[i])
                for name, array in last.items():
                    assert np.array_equal(info["final_obs"][i][name], array)
        if mode == "SameStep" and not ended.all() and "final_obs" in info:
            assert np.array_equal(info["_final_obs"], ended)
            assert info["final_obs"][np.flatnonzero(~ended)[0]] is None
    assert ends > 3
    assert env.batch.stats()["games"] == ends


@pytest.mark.parametrize("mode", MODES)
def test_opponents_move_within_the_step(game, mode):
    """In every seat, a State next to each env, played by the same agents, has the learner's observations."""
    n = 2 * game.num_players
    agents = []

    def first():
        agents.append(First())
        return agents[-1]

    env = VectorEnv(game, n, autoreset_mode=mode, opponents=first, player=None)
    assert len(agents) == n * (game.num_players - 1)
    observation, info = env.reset(seed=2)
    seats = [i % game.num_players for i in range(n)]
    rng = Rng(3)

    def until_learner(state, seat):
        while not game.is_simultaneous and state.current_player not in (seat, -2):
            state.apply(int(state.legal_actions()[0]))

    def begin(i):
        state = game.new_state(int(env.batch.seeds[i]))
        until_learner(state, seats[i])
        return state

    states, ends = [begin(i) for i in range(n)], 0
    for _ in range(STEPS):
        actions = choose(info["action_mask"], rng)
        observation, reward, terminated, _, info = env.step(actions)
        for i, (state, seat) in enumerate(zip(states, seats, strict=True)):
            gained = 0.0
            was_over = state.is_terminal()
            if not was_over:
                slots = state.slots
                codes = [state.encode(int(state.legal_actions(slot)[0])) for slot in range(len(slots))]
                for k, slot in enumerate(np.flatnonzero(slots == seat)):
                    codes[slot] = int(actions[i] if game.num_slots == 1 else actions[i, k])
                state.apply(codes if game.num_slots > 1 else state.decode(codes[0]))
                until_learner(state, seat)
                gained = float(state.returns()[seat])
            over = state.is_terminal() and not (was_over and mode == "NextStep")
            assert terminated[i] == over
            assert reward[i] == gained
            seen = {name: array[i] for name, array in observation.items()}
            if over and mode == "SameStep":
                ends += 1
                expected = state.observation(seat)
                for name in seen:
                    assert np.array_equal(info["final_obs"][i][name], expected[name])
            if (over and mode == "SameStep") or (was_over and mode == "NextStep"):
                ends += 1
                state = states[i] = begin(i)
            expected = state.observation(seat)
            for name, array in seen.items():
                assert np.array_equal(array, expected[name])
            own = np.flatnonzero(state.slots == seat) if not state.is_terminal() else []
            masks = info["action_mask"][i].reshape(-1, game.num_actions)
            for row, slot in zip(masks, own, strict=len(own) > 0):
                assert np.array_equal(row, state.legal_mask(int(slot)))
    assert (ends > n) == (mode != "Disabled")
    assert {(agent.player, agent.seed) for agent in agents[: game.num_players - 1]} == {
        (player, stream(int(env.batch.seeds[0]), player)) for player in range(1, game.num_players)
    }
    env.close()
    assert all(agent.closed for agent in agents)


@pytest.mark.parametrize("opponents", ["random", None])
def test_an_env_does_not_depend_on_the_others(game, opponents):
    def play(n):
        env = VectorEnv(game, n, opponents=opponents, player=1, autoreset_mode="SameStep")
        observation, info = env.reset(seed=9)
        rngs = [Rng(i) for i in range(n)]
        for _ in range(STEPS):
            masks = info["action_mask"]
            actions = np.stack([choose(masks[i], rngs[i]) for i in range(n)])
            observation, reward, terminated, _, info = env.step(actions)
            row = [array[1].tobytes() for array in observation.values()]
            yield *row, float(reward[1]), bool(terminated[1])

    assert list(play(2)) == list(play(5))


def test_random_opponents_play_legal_codes(game):
    env = VectorEnv(game, 8, opponents="random", on_illegal="raise")
    _, info = env.reset(seed=1)
    rng, total = Rng(2), np.zeros(8)
    for _ in range(STEPS):
        _, reward, *_, info = env.step(choose(info["action_mask"], rng))
        total += reward
    assert env.batch.stats()["games"] > 0
    assert env.batch.stats()["mean_returns"][0] == pytest.approx(total.sum() / env.batch.stats()["games"])


def test_named_opponents_and_one_for_each_seat():
    env = VectorEnv(
        "kakomimasu", 2, n_players=3, width=5, height=4, n_agents=2, opponents=["greedy", "random"], player=1
    )
    seated = env._opponents.agents
    assert [{player: agent.name for player, agent in agents.items()} for agents in seated] == 2 * [{0: "greedy"}]
    _, info = env.reset(seed=1)
    rng = Rng(1)
    for _ in range(STEPS):
        _, _, _, _, info = env.step(choose(info["action_mask"], rng))
    for state, row in zip(env._opponents.states, env.batch.states, strict=True):
        assert state.to_bytes() == row.tobytes()


def test_disabled_envs_start_where_the_mask_says(game):
    env = VectorEnv(game, 4, autoreset_mode="Disabled")
    env.reset(seed=3)
    seeds = env.batch.seeds.copy()
    mask = np.array([True, False, False, True])
    env.reset(options={"reset_mask": mask})
    assert np.array_equal(env.batch.seeds != seeds, mask)


def test_seeds(game):
    env, twin = VectorEnv(game, 3), VectorEnv(game, 3)
    env.reset(seed=7)
    twin.reset(seed=7)
    first = env.batch.seeds.copy()
    assert first.tolist() == [Rng(stream(7, i)).next() >> 1 for i in range(3)]
    env.reset()
    twin.reset()
    assert np.array_equal(env.batch.seeds, twin.batch.seeds)
    assert (env.batch.seeds != first).all()
    env, twin = VectorEnv(game, 3), VectorEnv(game, 3)
    env.reset()
    twin.reset()
    assert (env.batch.seeds != twin.batch.seeds).all()


def test_several_games_in_one_env():
    games = [masume.load("kakomimasu", width=4, height=3, n_agents=1, seed=seed) for seed in range(5)]
    env = VectorEnv(games, 30, opponents=First)
    env.reset(seed=1)
    assert set(env.batch.game_index.tolist()) == set(range(5))
    assert all(state.game is games[k] for state, k in zip(env._opponents.states, env.batch.game_index, strict=True))


def test_an_illegal_action_plays_the_neutral_one_and_is_counted(game):
    env = VectorEnv(game, 3, opponents=First)
    _, info = env.reset(seed=1)
    illegal = np.full(info["action_mask"].shape[:-1], game.num_actions)
    env.step(illegal)
    assert env.batch.stats()["fallbacks"] == illegal.size
    for state, row in zip(env._opponents.states, env.batch.states, strict=True):
        assert state.to_bytes()[: game.state_size] == row.tobytes()
    env = VectorEnv(game, 3, on_illegal="raise")
    _, info = env.reset(seed=1)
    with pytest.raises(masume.IllegalActionError, match="game 0"):
        env.step(np.full(info["action_mask"].shape[:-1], -1))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("opponents", [None, "random", First])
def test_games_beside_one_with_an_illegal_action_complete_their_step(game, mode, opponents):
    """Their opponents have moved, and those that ended start again: each plays on as it does without that game."""
    options = {"autoreset_mode": mode, "opponents": opponents, "rewards": "score"}
    env, alone = VectorEnv(game, 3, on_illegal="raise", **options), VectorEnv(game, 3, **options)
    info, other = env.reset(seed=4)[1], alone.reset(seed=4)[1]
    rng, ends = Rng(1), 0
    for turn in range(STEPS):
        actions = choose(other["action_mask"], rng)
        given = actions.copy()
        given[0] = info["action_mask"][0].argmax(axis=-1)
        if turn % 4 == 1 and env.batch.current_player[0] != -2:
            given[0] = game.num_actions
            with pytest.raises(masume.IllegalActionError, match="illegal in game 0: unchanged"):
                env.step(given)
        else:
            info = env.step(given)[4]
        _, _, ended, _, other = alone.step(actions)
        ends += ended[1:].sum()
        assert np.array_equal(env.batch.states[1:], alone.batch.states[1:])
    assert ends


@pytest.mark.parametrize("name", ["chaser", "kakomimasu"])
def test_a_league_of_policies_plays_inside_the_batch(name):
    """Members are the policies that they name, drawn by game, and their results are counted without agents."""
    game = masume.load(name, **GAMES[name].SMALL)
    policy = game.policies[-1]
    league = League({"random": "random", policy: policy}, method="uniform")
    env, alone = VectorEnv(game, 4, opponents=league), VectorEnv(game, 4, opponents=policy)
    info, other = env.reset(seed=3)[1], alone.reset(seed=3)[1]
    both = [all(name == policy for name in members.values()) for members in env._opponents.members]
    same = np.flatnonzero(both)
    assert 0 < len(same) < 4
    rng = Rng(1)
    for _ in range(4):
        assert np.array_equal(info["action_mask"][same], other["action_mask"][same])
        actions = choose(other["action_mask"], rng)
        info, other = env.step(actions)[4], alone.step(actions)[4]
    for _ in range(STEPS):
        info = env.step(choose(info["action_mask"], rng))[4]
    assert env._opponents.states == [None] * 4
    assert sum(row.games for row in league.table()) == env.batch.stats()["games"] > 4


def test_an_opponent_may_play_actions_that_no_mask_offers():
    """Terraforming's greedy moves any number of robots; the mask offers four amounts."""
    game = masume.load("terraforming", max_turns=10)
    env = VectorEnv(game, 1, opponents="greedy", player=1, autoreset_mode="Disabled")
    _, info = env.reset(seed=3)
    seed = int(env.batch.seeds[0])
    state, rng, uncoded = game.new_state(seed), Rng(1), 0
    agents = {player: make_agent("greedy", game) for player in (0, 2)}
    for player, agent in agents.items():
        agent.start(game, player, stream(seed, player))
    while not state.is_terminal():
        player = state.current_player
        if player == 1:
            code = choose(info["action_mask"], rng)
            state.apply(state.decode(int(code[0])))
            info = env.step(code)[4]
        else:
            action = agents[player].act(View(state, player))
            uncoded += state.encode(action) < 0
            state.apply(action)
    assert env.batch.states.tobytes() == state.to_bytes()[: game.state_size]
    assert uncoded > 0


@pytest.mark.parametrize(("name", "answer"), [("chaser", 16), ("kakomimasu", [0]), ("terraforming", 3 * 65536)])
def test_an_opponent_that_answers_what_the_mask_does_not_offer_is_named(name, answer):
    class Wrong(First):
        def act(self, view):
            return answer

    env = VectorEnv(name, opponents=Wrong, player=1)
    with pytest.raises(
        masume.AgentError, match=r"first: player 0, game of seed \d+, env 0: .*(is not allowed|expected 8)"
    ):
        env.step(env.reset()[1]["action_mask"].argmax(axis=-1))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("Stops", r"stops: player 0, game of seed \d+, env 0: StopIteration: no message"),
        ("RaisesAtStart", r"raises at start: player 0, game of seed \d+, env 0: RuntimeError"),
        ("RaisesAtClose", "raises at close: close: KeyError"),
    ],
)
def test_whatever_an_opponent_raises_is_an_error_of_its_own(kind, message):
    env = VectorEnv("chaser", opponents=getattr(players, kind), player=1)
    with pytest.raises(masume.AgentError, match=message), contextlib.closing(env):
        env.reset(seed=1)


def test_a_learner_who_never_decides_is_an_error():
    class Outwards(First):
        def act(self, view):
            return view._state.text_to_action("wu")

    corner = "N:corner\nT:30\nD:0,3,0,0\nD:3,0,3,0\nD:0,0,0,3\nC:0,0\nH:2,0\n"
    with pytest.raises(masume.ConfigError, match="before the learner"):
        VectorEnv("chaser", map=corner, opponents=Outwards, player=1).reset(seed=1)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("autoreset_mode", "Never"), ("opponents", ["random", "random"]), ("opponents", "nobody"), ("player", 2),
        ("render_mode", "human"), ("observe", ("nothing",)), ("rewards", "money"), ("on_illegal", "stay"),
        ("widht", 5), ("num_envs", 0),
    ],
)  # fmt: skip
def test_bad_options_are_named(option, value):
    with pytest.raises(masume.ConfigError, match="agents" if value == "nobody" else option):
        VectorEnv(**{"game": "chaser", "opponents": "random", option: value})


@pytest.mark.parametrize("more", [2**32, -(2**32), 2**62])
@pytest.mark.parametrize("on_illegal", ["raise", "fallback"])
@pytest.mark.parametrize("opponents", [None, "random", First])
@pytest.mark.parametrize("name", ["chaser", "kakomimasu", "terraforming"])
def test_a_number_that_is_a_legal_code_modulo_2_to_the_32_is_no_code(name, opponents, on_illegal, more):
    options = {"on_illegal": on_illegal, "opponents": opponents}
    env, vector = Env(name, **options), VectorEnv(name, 2, **options)
    (_, info), (_, infos) = env.reset(seed=1), vector.reset(seed=1)
    batches = env._vector.batch, vector.batch
    before = [batch.state(0) for batch in batches]
    code, codes = info["action_mask"].argmax(-1), infos["action_mask"].argmax(-1)
    for dtype in (np.int64, np.uint64) if more > 0 else (np.int64,):
        far, rest = code.astype(dtype) + dtype(more), codes.astype(dtype)
        rest[1:] += dtype(more)
        with pytest.raises(ValueError, match=f"actions: expected int32, got {far.flat[0]} in env 0"):
            env.step(far)
        with pytest.raises(ValueError, match=f"actions: expected int32, got {rest[1].flat[0]} in env 1"):
            vector.step(rest)
    assert [batch.state(0) for batch in batches] == before
    env.step(code)
    vector.step(codes.astype(np.int16))
    assert [batch.stats()["fallbacks"] for batch in batches] == [0, 0]
    assert all(batch.state(0) != state for batch, state in zip(batches, before, strict=True))


def test_bad_arguments_of_the_calls_are_named(game):
    env = VectorEnv(game, 2)
    with pytest.raises(masume.ConfigError, match="seed"):
        env.reset(seed=[1, 2, 3])
    env.reset()
    with pytest.raises(ValueError, match="mask"):
        env.reset(options={"reset_mask": np.ones(3, np.bool_)})
    for opponents in (None, "random"):
        env = VectorEnv(game, 2, opponents=opponents)
        env.reset()
        with pytest.raises(ValueError, match=r"actions: expected shape \(2,.*\), got \(7,\)"):
            env.step(np.zeros(7, np.int64))
        with pytest.raises(ValueError, match="float64"):
            env.step(np.zeros(env.action_space.shape))
    with pytest.raises(masume.ConfigError, match=r"width: .*a Game carries"):
        VectorEnv(game, width=3)


@pytest.mark.parametrize("opponents", [None, "random", First])
def test_calls_out_of_order_are_gymnasiums_errors(game, opponents):
    """Without the wrappers of `make`: before the first game, after one, and after the environment."""
    for env in (Env(game, opponents=opponents), VectorEnv(game, 2, opponents=opponents)):
        action = env.action_space.sample()
        for call, arguments in ((env.step, (action,)), (env.render, ())):
            with pytest.raises(error.ResetNeeded, match=f"^{call.__name__}: there is no game yet"):
                call(*arguments)
        env.reset(seed=1)
        env.step(action)
        env.close()
        for call, arguments in ((env.step, (action,)), (env.render, ()), (env.reset, ())):
            with pytest.raises(error.ClosedEnvironmentError, match=f"^{call.__name__}: the environment is closed"):
                call(*arguments)


@pytest.mark.parametrize("opponents", [None, "random", First])
def test_a_step_beyond_the_end_is_refused(game, opponents):
    env = Env(game, opponents=opponents)
    _, info = env.reset(seed=1)
    rng, terminated = Rng(1), False
    while not terminated:
        action = choose(info["action_mask"], rng)
        *_, terminated, _, info = env.step(action)
    before = env.action_masks()
    with pytest.raises(error.ResetNeeded, match=f"^step: the game is over, and {re.escape(repr(action))}"):
        env.step(action)
    assert np.array_equal(env.action_masks(), before)
    _, info = env.reset()
    env.step(choose(info["action_mask"], rng))


@pytest.mark.parametrize("opponents", [None, "random", First])
def test_actions_outside_the_space_are_gymnasiums_error(game, opponents):
    """Shapes that only hold as many codes are refused too, and nothing is played."""
    for env in (Env(game, opponents=opponents), VectorEnv(game, 2, opponents=opponents)):
        env.reset(seed=1)
        shape, before = env.action_space.shape, env.action_masks() if isinstance(env, Env) else env.batch.masks.copy()
        wrong = [
            (np.zeros((*shape, 1), np.int64), f"shape {shape}, got {(*shape, 1)}"),
            (np.zeros(7, np.int64), f"shape {shape}, got (7,)"),
            (np.zeros(shape), "integers, got float64"),
            (np.zeros(shape, np.bool_), "integers, got bool"),
            (None, "integers, got object: None"),
            ([[0], [0, 0]], f"shape {shape}, got [[0], [0, 0]]"),
            (np.full(shape, 2**31), f"int32, got {2**31} in env 0"),
        ]
        for action, message in wrong:
            with pytest.raises(error.InvalidAction, match=rf"^actions: expected {re.escape(message)}"):
                env.step(action)
            with pytest.raises(ValueError, match=r"^actions: expected"):
                env.step(action)
        assert np.array_equal(env.action_masks() if isinstance(env, Env) else env.batch.masks, before)


class Waiting(First):
    """Agent that waits inside its answer until it may go on."""

    inside, go_on = threading.Event(), threading.Event()

    def act(self, view):
        self.inside.set()
        assert self.go_on.wait(60)
        return super().act(view)


@pytest.mark.parametrize(
    "make", [lambda game: Env(game, opponents=Waiting), lambda game: VectorEnv(game, 1, opponents=Waiting)]
)
def test_a_second_thread_is_refused_and_the_first_goes_on(make):
    env = make("nezumi")
    Waiting.inside.clear()
    Waiting.go_on.set()
    env.reset(seed=1)
    Waiting.inside.clear()
    Waiting.go_on.clear()
    action = env.action_space.sample()
    with ThreadPoolExecutor(1) as pool:
        step = pool.submit(env.step, action)
        assert Waiting.inside.wait(60)
        try:
            for call, arguments in ((env.step, (action,)), (env.reset, ())):
                with pytest.raises(error.AlreadyPendingCallError, match="another thread is inside the environment"):
                    call(*arguments)
        finally:
            Waiting.go_on.set()
        assert len(step.result(60)) == 5
    env.step(action)


@pytest.mark.parametrize("opponents", [None, "random", First])
@pytest.mark.filterwarnings("ignore:.*A Box observation space m")  # planes and scalars have no bounds
def test_a_single_env_passes_gymnasiums_check(name, config, opponents):
    env = gymnasium.make(f"masume/{name.capitalize()}-v0", opponents=opponents, **config)
    check_env(env.unwrapped)
    env.close()


def test_a_single_env_is_a_vector_env_of_one(game):
    env, vector = Env(game, render_mode="ansi"), VectorEnv(game, 1, autoreset_mode="Disabled", render_mode="ansi")
    (observation, info), (batched, told) = env.reset(seed=4), vector.reset(seed=4)
    rng, terminated = Rng(1), False
    while not terminated:
        for name, array in batched.items():
            assert np.array_equal(observation[name], array[0])
        assert np.array_equal(info["action_mask"], told["action_mask"][0])
        assert np.array_equal(env.action_masks(), told["action_mask"][0].reshape(-1))
        assert env.render() == vector.render()[0]
        action = choose(info["action_mask"], rng)
        observation, reward, terminated, truncated, info = env.step(action)
        batched, rewards, ends, _, told = vector.step(action[None])
        assert (reward, terminated, truncated) == (rewards[0], ends[0], False)
    assert type(terminated) is bool
    silent = Env(game)
    silent.reset()
    assert silent.render() is None


def test_ids_make_vector_envs_too(name, config):
    env = gymnasium.make_vec(f"masume/{name.capitalize()}-v0", num_envs=3, opponents="random", **config)
    assert isinstance(env, VectorEnv)
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    _, info = env.reset(seed=1)
    rng, episodes = Rng(5), 0
    for _ in range(STEPS):
        *_, info = env.step(choose(info["action_mask"], rng))
        episodes += int(info.get("_episode", np.zeros(1)).sum())
    assert episodes == env.unwrapped.batch.stats()["games"] > 0
    env.close()


def test_ids_are_written_without_underscores():
    assert (camel("chaser"), camel("connect_four")) == ("Chaser", "ConnectFour")


class Together(First):
    """Agent that is asked about all waiting games at once, and plays the first legal action of each."""

    name = "together"
    asked: list = []  # noqa: RUF012  (reset by the test)

    def start(self, game, player, seed):
        pass

    def act_many(self, views, seeds):
        Together.asked.append(len(views))
        return [(self._act(view), None) for view in views]

    def _act(self, view):
        actions = [int(view.legal_actions(slot)[0]) for slot in view.slots]
        return actions if view.game.num_slots > 1 else actions[0]


def test_a_network_is_asked_once_for_all_envs_that_wait(game, monkeypatch):
    """An opponent with `act_many` gets all views at once, and plays what it would play one by one."""
    monkeypatch.setattr(players, "Together", Together, raising=False)
    Together.asked = []
    env, twin = VectorEnv(game, 6, opponents="py:players:Together"), VectorEnv(game, 6, opponents=First)
    _, info = env.reset(seed=2)
    twin.reset(seed=2)
    rng = Rng(1)
    for _ in range(40):
        actions = choose(info["action_mask"], rng)
        *_, info = env.step(actions)
        twin.step(actions)
        assert env.batch.states.tobytes() == twin.batch.states.tobytes()
    assert max(Together.asked) >= 3
    env.close()


@pytest.mark.parametrize("in_league", [False, True])
def test_a_callable_that_makes_a_network_is_called_once_for_all_envs(in_league):
    made = []

    def checkpoint():
        made.append(Together())
        return made[-1]

    Together.asked = []
    env = VectorEnv("chaser", 6, opponents=League({"checkpoint": checkpoint}) if in_league else checkpoint)
    env.reset(seed=2)
    for _ in range(10):
        env.step(np.zeros(6, np.int32))
    assert len(made) == 1
    assert max(Together.asked) >= 3
    env.close()


@pytest.mark.parametrize("answers", [[], [(99, None)] * 2, "raises"])
def test_an_opponent_that_answers_wrongly_to_many_is_named(answers, monkeypatch):
    class Wrong(Together):
        name = "wrong"

        def act_many(self, views, seeds):
            if answers == "raises":
                raise RuntimeError("no weights")
            return answers

    monkeypatch.setattr(players, "Wrong", Wrong, raising=False)
    env = VectorEnv("chaser", 2, opponents="py:players:Wrong", player=1)
    with pytest.raises(masume.AgentError, match="wrong: "):
        env.reset(seed=1)


@pytest.mark.parametrize("net", ["Unsure", "Flat", "Silent", "Fails", "Broken"])
@pytest.mark.parametrize("budget", ["", ":8"], ids=["priors", "search"])
def test_a_network_that_answers_nonsense_is_named_with_its_game(net, budget):
    env = VectorEnv("chaser", 2, opponents=f"net:players:{net}{budget}", player=1)
    with pytest.raises(masume.AgentError, match=rf"^net:players:{net}{budget}: player 0, game of seed \d+, env 0: "):
        env.reset(seed=1)


def test_of_several_games_the_one_with_the_fault_is_named():
    env = VectorEnv("chaser", 3, opponents="net:players:BrokenAtOnce", player=1)
    with pytest.raises(masume.AgentError) as caught:
        env.reset(seed=1)
    assert f"player 0, game of seed {env.batch.seeds[2]}, env 2: priors: " in str(caught.value)


def refuse():
    raise RuntimeError("no checkpoint")


@pytest.mark.parametrize(
    ("member", "error", "message"),
    [
        (refuse, masume.AgentError, "^opponents: member 'latest', player 0: RuntimeError: no checkpoint$"),
        (dict, masume.ConfigError, "^opponents: member 'latest', player 0: .* lacks name, start, act or close$"),
        (players.Raises, masume.AgentError, r"^raises: member 'latest', player 0, game of seed \d+, env 0: "),
        ("net:players:Fails", masume.AgentError, "^net:players:Fails: member 'latest', player 0, game of seed"),
    ],
)
def test_a_member_of_a_league_that_fails_is_named(member, error, message):
    with pytest.raises(error, match=message):
        VectorEnv("chaser", 2, opponents=League({"latest": member}), player=1).reset(seed=1)


def test_an_opponent_that_cannot_be_made_is_named():
    with pytest.raises(masume.AgentError, match=r"^opponents: refuse, player 0: RuntimeError: no checkpoint$"):
        VectorEnv("chaser", opponents=refuse, player=1)


def test_a_policy_plays_what_its_agent_plays():
    """A policy that VectorEnv asks directly draws as its agent does, from stream(seed of the game, seat)."""
    game = masume.load("chaser", width=5, height=5, n_blocks=2, n_items=4, turn_limit=8)
    env = VectorEnv(game, 1, opponents="forager", player=1, autoreset_mode="Disabled")
    _, info = env.reset(seed=4)
    seed = int(env.batch.seeds[0])
    agent, state, rng = make_agent("forager", game), game.new_state(seed), Rng(1)
    agent.start(game, 0, stream(seed, 0))
    while not state.is_terminal():
        if state.current_player == 0:
            state.apply(agent.act(View(state, 0)))
        else:
            code = choose(info["action_mask"], rng)
            state.apply(state.decode(int(code[0])))
            info = env.step(code)[4]
    assert env.batch.states.tobytes() == state.to_bytes()[: game.state_size]


def test_members_of_a_league_change_only_between_games():
    """Each game is against one member, and the table counts every game with its result."""
    game = masume.load("chaser", width=5, height=5, n_blocks=2, n_items=4, turn_limit=6)
    league = League({"random": "random", "first": First, "forager": "forager"}, method="uniform")
    env = VectorEnv(game, 8, opponents=league, autoreset_mode="SameStep")
    _, info = env.reset(seed=1)
    rng, results = Rng(1), {name: [0, 0, 0] for name in league.members}
    members = [dict(each) for each in env._opponents.members]
    for _ in range(60):
        _, reward, ended, _, info = env.step(choose(info["action_mask"], rng))
        for i in range(8):
            if ended[i]:
                results[members[i][1]][0 if reward[i] == 1 else 2 if reward[i] < 0 else 1] += 1
            else:
                assert env._opponents.members[i] == members[i]
        members = [dict(each) for each in env._opponents.members]
    table = {row.name: [row.wins, row.draws, row.losses] for row in league.table()}
    assert table == results
    assert all(sum(counts) > 0 for counts in results.values())
    env.close()


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"rewards": "score", "observe": ("scalars",)},
        {"opponents": "random", "player": 1, "dtype": "uint8"},
        {"opponents": "policy", "player": 1, "rewards": "score"},
        {"opponents": "policy", "player": 0, "observe": ()},
        {"opponents": "random", "player": 0, "on_illegal": "raise", "threads": 2},
        {"opponents": "policy", "player": 1, "dtype": "bits"},
    ],
    ids=str,
)
def test_an_env_is_a_vector_of_one(name, options):
    """What `Env` returns are the rows of a `VectorEnv` of one, in game after game and of copies of it."""
    game = masume.load(name, **GAMES[name].SMALL)
    if options.get("opponents") == "policy":
        options = options | {"opponents": game.policies[-1]}
    vector = VectorEnv(game, 1, autoreset_mode="Disabled", **options)
    env = Env(game, **options)
    chance = np.random.default_rng(5)
    for seed in range(3):
        results = [env.reset(seed=seed), vector.reset(seed=seed)]
        for turn in range(40):
            assert_row(*results)
            legal = results[0][-1]["action_mask"]
            action = (chance.random(legal.shape) * legal).argmax(axis=-1)
            if turn == 2:
                env = pickle.loads(pickle.dumps(env))
            results = [env.step(action), vector.step(action[None])]
            if turn % 7 == 3:
                assert env.action_masks().tolist() == (results[0][-1]["action_mask"].ravel() == 1).tolist()
            if results[0][2]:
                assert_row(*results)
                results = [env.reset(), vector.reset()]


def assert_row(one, rows):
    """Compare what Env and VectorEnv returned."""
    for name, array in one[0].items():
        np.testing.assert_array_equal(array, rows[0][name][0])
        assert array.dtype == rows[0][name].dtype
    assert one[0].keys() == rows[0].keys()
    assert [float(value) for value in one[1:-1]] == [float(value[0]) for value in rows[1:-1]]
    assert one[-1].keys() == {name for name in rows[-1] if not name.startswith("_")}
    for name, value in one[-1].items():
        np.testing.assert_array_equal(value, rows[-1][name][0])
