"""Networks in NumPy: what they answer, their files, and the agents that play by them."""

import errno
import os
import re
import zipfile

import numpy as np
import pytest

import masume
from cases import GAMES
from masume.agent import View
from masume.agents.make import make_agent, players_of
from masume.agents.net import arguments_of
from masume.agents.searching import MCTSAgent
from masume.core.rng import Rng
from masume.nets import network as networks
from masume.nets.network import FILE, Network, find_shipped, networks_of
from masume.nets.packed import pack, unpack
from masume.play.driver import play_game
from masume.search import MCTS

SMALL = {
    "battleship": {},
    "chaser": {"width": 7, "height": 7, "n_blocks": 4, "n_items": 5, "turn_limit": 12},
    "kakomimasu": {"width": 6, "height": 5, "n_agents": 2, "total_turns": 6},
    "nezumi": {"stage": "garden"},
    "terraforming": {"radius": 3, "max_turns": 6},
}
CHASER = masume.load("chaser", **SMALL["chaser"])


def small(name):
    return masume.load(name, **SMALL.get(name, {}))


def view_of(game, network, state, player):
    seen = state.observation(player, crop=network.crop)
    return {name: seen[name][None] for name in network.observe}


@pytest.mark.parametrize("name", GAMES)
def test_answers_have_the_shapes_of_an_evaluator(name):
    game = small(name)
    network, state = Network(game, hidden=(16,)), game.new_state(1)
    if game.is_simultaneous:
        seen = [view_of(game, network, state, player) for player in range(game.num_players)]
        views = {field: np.stack([one[field][0] for one in seen])[None] for field in network.observe}
        priors, values = network(views, np.array([-1], np.int8))
    else:
        player = int(state.slots[0])
        priors, values = network(view_of(game, network, state, player), np.array([player], np.int8))
    assert priors.shape == (1, game.num_slots, game.num_actions)
    assert values.shape == (1, game.num_players)
    assert (priors > 0).all()
    assert (abs(values) <= 1).all()


def test_a_slot_gets_the_logits_that_its_own_player_sees():
    game = small("kakomimasu")
    network, state = Network(game, hidden=(16,), seed=3), game.new_state(1)
    seen = [view_of(game, network, state, player) for player in range(2)]
    priors, values = network({name: np.stack([seen[0][name][0], seen[1][name][0]])[None] for name in network.observe},
                             np.array([-1], np.int8))  # fmt: skip
    for player in range(2):
        logits, told = network.forward(network.rows(seen[player], np.array([player])))
        assert values[0, player] == pytest.approx(told[0, 0], abs=1e-6)
        for unit in range(2):
            wanted = np.exp(logits[0, unit] - logits[0, unit].max())
            np.testing.assert_allclose(priors[0, 2 * player + unit], wanted, rtol=1e-4)


def test_values_are_turned_to_seats():
    """The first value is the viewer's, the next that of the player after it."""
    game = small("terraforming")
    network = Network(game, hidden=(8,))
    network.weights["value.weight"][:] = 0
    network.weights["value.bias"][:] = [0.5, -0.25, -0.125]
    state = game.new_state(1)
    for player in range(3):
        _, values = network(view_of(game, network, state, player), np.array([player], np.int8))
        np.testing.assert_allclose(np.roll(np.tanh([0.5, -0.25, -0.125]), player), values[0], rtol=1e-6)


def test_numbers_of_cells_are_planes():
    """Each agent of Kakomimasu has one more plane, and symmetries of the board turn it with the others."""
    game = small("kakomimasu")
    network, state = Network(game, hidden=(8,)), game.new_state(1)
    assert network.observe == ("planes", "agent_cells", "scalars")
    cells = game.config.width * game.config.height
    planes = 3 * game.num_players + 3
    assert network.board == (2, 2 + (planes + 2) * cells, (planes + 2, game.config.height, game.config.width))
    state.apply([state.legal_actions(0)[-1], 0, 0, 0])
    view = view_of(game, network, state, 0)
    row = network.rows(view, np.array([0]))[0]
    agents = row[2 + planes * cells : network.board.end].reshape(2, cells)
    assert view["agent_cells"].tolist() == [[np.flatnonzero(agents[0])[0], -1]]
    assert agents.sum() == agents[0].max() == 1
    places, _ = network.symmetries()
    for turned in places:
        np.testing.assert_array_equal(row[turned][2 + planes * cells :][:cells].sum(), 1)
    alone = Network(game, observe=("agent_cells",), hidden=(8,))
    assert alone.board.shape == (2, game.config.height, game.config.width)


def test_each_agent_is_seen_in_the_middle_of_its_surroundings():
    """The logits of every agent, and the mean of what they expect, computed agent by agent with plain loops."""
    game = masume.load("kakomimasu", width=7, height=5, n_agents=3, total_turns=9)
    network, state = Network(game, hidden=(6,), seed=2), game.new_state()
    state.apply([state.legal_actions(0)[-1], state.legal_actions(1)[9], 0, 0, 0, 0])  # the third is not on the board
    weights, rng = network.weights, np.random.default_rng(1)
    for name, array in weights.items():
        weights[name] = rng.standard_normal(array.shape).astype(np.float32)
    view = view_of(game, network, state, 0)
    row = network.rows(view, np.array([0]))
    planes = row[0, network.board.begin : network.board.end].reshape(-1, 5, 7)
    hidden = []
    for agent, cell in enumerate(view["agent_cells"][0].tolist()):
        around = np.zeros((9, 9, len(planes)), np.float32)
        for y, x in np.ndindex(9, 9):
            down, right = cell // 7 + y - 4, cell % 7 + x - 4
            if cell >= 0 and 0 <= down < 5 and 0 <= right < 7:
                around[y, x] = planes[:, down, right]
        sums = row[0] @ weights["layer0.weight"] + weights["layer0.bias"] + weights["around.bias"][agent]
        hidden.append(np.maximum(sums + around.reshape(-1) @ weights["around.weight"], 0))
    logits, values = network.forward(row)
    np.testing.assert_allclose(logits[0], hidden @ weights["policy.weight"] + weights["policy.bias"], rtol=1e-3)
    expected = np.mean(hidden @ weights["value.weight"] + weights["value.bias"], axis=0)
    np.testing.assert_allclose(values[0], np.tanh(expected), rtol=1e-3)


def test_scalars_are_pressed_together():
    network = Network(CHASER, hidden=(8,))
    views = {
        "planes": np.zeros((1, 7, 11, 11), np.float32),
        "scalars": np.array([[0, 9, -9, 10**6, 1]], np.int32),
    }
    row = network.rows(views, np.array([1]))[0]
    assert row[:2].tolist() == [0, 1]
    np.testing.assert_allclose(row[-5:], [0, np.log(10), -np.log(10), np.log1p(1e6), np.log(2)], rtol=1e-6)


def test_a_network_plays_on_every_board_that_its_config_draws(tmp_path):
    game = small("kakomimasu")
    Network(game, hidden=(8,)).save(tmp_path / FILE)
    assert Network.load(tmp_path, game.redrawn(9)).game.config.seed == 9
    points = list(game.config.board_points())
    with pytest.raises(masume.ConfigError, match=r"points: expected \[.*, got \[1, "):
        Network.load(tmp_path, masume.load("kakomimasu", **SMALL["kakomimasu"], points=[1, *points[1:]]))
    header, weights = unpack((tmp_path / FILE).read_bytes())
    header["config"]["seed"] = 2**64
    (tmp_path / FILE).write_bytes(pack(header, weights))
    with pytest.raises(masume.ConfigError, match=rf"seed: expected .*, got 18446744073709551616, as .*{FILE} has it"):
        Network.load(tmp_path, game)
    Network(masume.load("kakomimasu", **SMALL["kakomimasu"], points=[1, *points[1:]])).save(tmp_path / FILE)
    with pytest.raises(masume.ConfigError, match="points: expected"):
        Network.load(tmp_path, game)


def test_convolutions_see_the_cells_around_each():
    """A network of convolutions, computed cell by cell with plain sums."""
    game = small("nezumi")
    network = Network(game, channels=3, blocks=1, hidden=(5,), seed=4)
    rng = np.random.default_rng(2)
    for name, array in network.weights.items():
        if name.endswith("bias"):
            array[:] = rng.standard_normal(array.shape)
    row = network.rows(view_of(game, network, game.new_state(1), 1), np.array([1]))[0]
    begin, end, (planes, height, width) = network.board
    weights = network.weights
    others = np.concatenate([row[:begin], row[end:]])

    def slide(cells, k):
        found = np.zeros((height, width, 3))
        for y, x in np.ndindex(height, width):
            kernel = weights[f"conv{k}.weight"].reshape(3, 3, -1, 3)
            found[y, x] = weights[f"conv{k}.bias"]
            for down, right in np.ndindex(3, 3):
                v, u = y + down - 1, x + right - 1
                if 0 <= v < height and 0 <= u < width:
                    found[y, x] += cells[v, u] @ kernel[down, right]
        return found

    board = row[begin:end].reshape(planes, height, width).transpose(1, 2, 0)
    cells = np.maximum(slide(board, 0) + others @ weights["entry.weight"], 0)
    cells = np.maximum(cells + slide(np.maximum(slide(cells, 1), 0), 2), 0)
    neck = np.maximum(cells @ weights["neck.weight"] + weights["neck.bias"], 0)
    last = np.concatenate([others, neck.reshape(-1)]) @ weights["layer0.weight"] + weights["layer0.bias"]
    wanted = np.maximum(last, 0) @ weights["policy.weight"] + weights["policy.bias"]
    logits, _ = network.forward(row[None])
    np.testing.assert_allclose(logits[0, 0], wanted, rtol=1e-4, atol=1e-5)


def test_a_crop_is_what_the_search_shows_too():
    """The evaluator of a search sees the very planes that a cropped observation has."""
    seen = []

    def evaluate(observations, players):
        seen.append({name: array.copy() for name, array in observations.items()})
        return np.ones((len(players), 1, 16), np.float32), np.zeros((len(players), 2), np.float32)

    state = CHASER.new_state(4)
    search = MCTS(CHASER, simulations=3, evaluator=evaluate, crop=5)
    search.search(state, seed=1)
    assert search.crop == (5, 5)
    np.testing.assert_array_equal(seen[0]["planes"][0], state.observation(0, crop=5)["planes"])
    with pytest.raises(masume.ConfigError, match="crop: "):
        MCTS(small("nezumi"), simulations=3, evaluator=evaluate, crop=5)


@pytest.mark.parametrize("playouts", [0, 0.5])
@pytest.mark.parametrize("name", GAMES)
def test_an_agent_plays_a_whole_game(name, playouts, tmp_path):
    """By its policy alone, and with a search; the same seed gives the same game."""
    game = small(name)
    Network(game, hidden=(16,), playouts=playouts).save(tmp_path / FILE)
    for spec in (f"net:{tmp_path}", f"net:{tmp_path}:4"):
        agents = [make_agent(spec, game), *(make_agent("random", game) for _ in range(game.num_players - 1))]
        games = [play_game(game, agents, 5) for _ in range(2)]
        assert games[0].state.is_terminal()
        assert games[0].actions == games[1].actions


@pytest.mark.parametrize("name", GAMES)
def test_an_agent_searches_for_a_time(name, tmp_path):
    """By the clock, too: with time, with hardly any, and with none."""
    game = small(name)
    Network(game, hidden=(16,)).save(tmp_path / FILE)
    agent = make_agent(f"net:{tmp_path}:5ms", game)
    assert agent.name == f"net:{tmp_path}:5ms"
    agents = [agent, *(make_agent("random", game) for _ in range(game.num_players - 1))]
    assert play_game(game, agents, 5).state.is_terminal()
    assert agent.found.simulations > 0
    agent = make_agent(f"net:{tmp_path}:clock:4", game)
    agent.start(game.public, 0, 1)
    state = game.new_state()
    while state.slots[0] != 0:
        state.apply(state.fallback())
    for left_ms in (1200, 30, 0):
        answer = agent.act(View(state, 0, left_ms))
        for slot, action in enumerate(answer if game.num_slots > 1 else [answer]):
            assert action in state.legal_actions(slot)
    agent.close()


def test_an_agent_divides_a_turns_budget_and_keeps_its_tree():
    """As `mcts:400/turn` does: a quarter of what is left for each decision."""
    game = masume.load("nezumi", stage="pantry")
    state, agent = game.new_state(), make_agent("net:pantry:400/turn", game)
    agent.start(game.public, 1, 1)
    state.apply(agent.act(View(state, 1)))
    assert (agent.found.new_simulations, agent.found.simulations) == (100, 100)
    state.apply(agent.act(View(state, 1)))
    assert agent.found.new_simulations == 75 < agent.found.simulations
    agent = make_agent("net:pantry:40/ponder", game)
    agent.start(game.public, 1, 1)
    while state.current_player != 1:
        state.apply(state.fallback())
    while state.current_player == 1:
        state.apply(agent.act(View(state, 1)))
    assert agent.pondering is not None
    agent.close()
    assert agent.pondering is None


def test_an_agent_plays_the_code_of_the_greatest_prior(tmp_path):
    network, state = Network(CHASER, hidden=(8,)), CHASER.new_state(2)
    legal = np.flatnonzero(state.legal_mask())
    network.weights["policy.weight"][:] = 0
    for code in legal.tolist():
        network.weights["policy.bias"][:] = 0
        network.weights["policy.bias"][code] = 1
        network.save(tmp_path / FILE)
        agent = make_agent(f"net:{tmp_path / FILE}", CHASER)
        agent.start(CHASER, 0, 1)
        assert agent.act(View(state, 0)) == code


# -- what is hidden -------------------------------------------------------------------------------------


def hiding():
    for name, cases in GAMES.items():
        if not masume.load(name).is_perfect_information:
            for k, fields in enumerate([{}, *getattr(cases, "HIDDEN", ())]):
                yield pytest.param(name, fields, id=f"{name}-{k}")


def pairs(game, plies):
    """Yield pairs of positions that the player to move cannot tell apart, of which one is a game's."""
    for seed in range(16):
        state, rng = game.new_state(seed), Rng(seed)
        for _ in range(plies[seed % len(plies)]):
            legal = state.legal_actions()
            state.apply(int(legal[rng.below(len(legal))]))
            if state.is_terminal():
                break
        else:
            yield state, state.resample(state.current_player, seed)


@pytest.mark.parametrize("playouts", [0, 0.5])
@pytest.mark.parametrize(("name", "fields"), list(hiding()))
def test_networks_look_at_nothing_but_what_their_player_has_seen(name, fields, playouts, tmp_path):
    """Same information, other truth, same seed: the same moves, policies and values, for all ways of playing.

    Shown the truth, the network answers something else: from the other player's seat it sees what differs.
    """
    game = masume.load(name, **fields)
    network = Network(game, hidden=(16,), seed=3, playouts=playouts)
    network.weights["policy.weight"] *= 100
    network.save(tmp_path / FILE)
    told = {"evaluator": network, **arguments_of(network)}
    halving = MCTS(game, simulations=16, considered=4, leaves=4, **told)
    found, differ = [], 0
    for state, other in pairs(game, (1, 4, 12, 24)):
        player, rival = state.current_player, (state.current_player + 1) % game.num_players
        both = []
        for position in (state, other):
            for spec in (f"net:{tmp_path}", f"net:{tmp_path}:24", f"net:{tmp_path}:24:3"):
                agent = make_agent(spec, game)
                agent.start(game.public, player, 7)
                both.append((agent.act(View(position, player)), agent.thought))
                both.append(agent.act_many([View(position, player)] * 2, [5, 6]))
            timed = MCTSAgent("24", "net", told)  # net:RUN:50ms is this agent
            timed.start(game.public, player, 7)
            both.append((timed.act(View(position, player)), timed.thought))
            result = halving.search_many([position] * 2, 9)
            both.append([(one.actions, one.slots[0].visits.tolist(), one.slots[0].values.tolist()) for one in result])
        half = len(both) // 2
        assert both[:half] == both[half:]
        found.append(both[0][0])
        seen = [network.rows(view_of(game, network, one, rival), np.array([rival])) for one in (state, other)]
        differ += any((a != b).any() for a, b in zip(*map(network.forward, seen), strict=True))
    assert differ > 2
    assert len(set(found)) > 1


@pytest.mark.parametrize("hidden", [(70, 300), (1100, 8), (4,)])
@pytest.mark.parametrize("count", [1, 4, 6, 33])
def test_layers_are_products_of_matrices(hidden, count):
    """In whatever parts they are made."""
    network = Network(CHASER, hidden=hidden, seed=2)
    rows = np.random.default_rng(1).standard_normal((count, network.inputs)).astype(np.float32)
    wanted, weights = rows, network.weights
    for k in range(len(hidden)):
        wanted = np.maximum(wanted @ weights[f"layer{k}.weight"] + weights[f"layer{k}.bias"], 0)
    logits, values = network.forward(rows)
    np.testing.assert_allclose(logits[:, 0], wanted @ weights["policy.weight"], rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(values, np.tanh(wanted @ weights["value.weight"]), rtol=1e-3, atol=1e-4)


# -- files ----------------------------------------------------------------------------------------------


def test_a_file_holds_the_network(tmp_path):
    network = Network(CHASER, hidden=(8, 9), channels=4, blocks=1, crop=(3, 5), playouts=0.25, seed=7)
    network.save(tmp_path / FILE)
    found = Network.load(tmp_path, CHASER)
    assert found.header() == network.header()
    assert found.weights.keys() == network.weights.keys()
    assert all((found.weights[name] == array).all() for name, array in network.weights.items())
    first = (tmp_path / FILE).read_bytes()
    found.save(tmp_path / FILE)
    assert (tmp_path / FILE).read_bytes() == first


def test_only_the_seed_of_a_config_may_differ(tmp_path):
    Network(CHASER, hidden=(8,)).save(tmp_path / FILE)
    Network.load(tmp_path, masume.load("chaser", **SMALL["chaser"], seed=5))
    other = masume.load("chaser", **(SMALL["chaser"] | {"n_items": 6}))
    with pytest.raises(masume.ConfigError, match=re.escape(f"n_items: expected 5, as {tmp_path / FILE} has it, got 6")):
        Network.load(tmp_path, other)
    with pytest.raises(masume.ConfigError, match=f"game: {re.escape(str(tmp_path))}.* is of chaser, not of nezumi"):
        make_agent(f"net:{tmp_path}", small("nezumi"))


def damaged(header, arrays, what):
    """Return the bytes of a network's file with a defect."""
    header, arrays = dict(header), dict(arrays)
    if what == "NaN":
        arrays["value.bias"] = np.full(2, np.nan, np.float32)
    elif what == "shape":
        arrays["value.bias"] = np.zeros(3, np.float32)
    elif what == "missing":
        del arrays["value.bias"]
    elif what == "more":
        arrays["other"] = np.zeros(2, np.float32)
    elif what == "dtype":
        arrays["value.bias"] = np.zeros(2, np.uint8)
    elif what in header:
        header[what] = {"version": 99, "kind": "checkpoint", "hidden": [10**6], "crop": [4, 4], "observe": ["x"]}[what]
    return pack(header, arrays)


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("NaN", "value.bias: expected finite numbers"),
        ("shape", "weights: expected arrays of the shapes"),
        ("missing", "weights: expected arrays of the shapes"),
        ("more", "weights: expected arrays of the shapes"),
        ("dtype", "value.bias: expected float32 or float16, got uint8"),
        ("version", "version: expected 3, got 99"),
        ("kind", "kind: expected network, got 'checkpoint'"),
        ("hidden", "hidden: expected 1..4096, got 1000000"),
        ("crop", "crop: expected odd numbers"),
        ("observe", "observe: "),
    ],
)
def test_a_damaged_network_is_named(what, told, tmp_path):
    network = Network(CHASER, hidden=(8,))
    (tmp_path / FILE).write_bytes(damaged(network.header(), network.weights, what))
    with pytest.raises(masume.ReplayError, match=re.escape(str(tmp_path / FILE)) + ".*" + re.escape(told)):
        Network.load(tmp_path, CHASER)


def test_damaged_bytes_are_named(tmp_path):
    Network(CHASER, hidden=(8,)).save(tmp_path / FILE)
    whole = (tmp_path / FILE).read_bytes()
    for part in (b"", whole[:100], whole[: len(whole) // 2], whole[: len(whole) // 2] + b"\0" * 9 + whole[-99:]):
        (tmp_path / FILE).write_bytes(part)
        with pytest.raises(masume.ReplayError, match=re.escape(str(tmp_path / FILE))):
            Network.load(tmp_path, CHASER)
    with zipfile.ZipFile(tmp_path / FILE, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.npy", b"\0" * 10**6)
    with pytest.raises(masume.ReplayError, match="without compression"):
        Network.load(tmp_path, CHASER)


def test_files_depend_only_on_what_they_hold():
    arrays = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.zeros((0, 2), np.float16)}
    header, found = unpack(pack({"x": [1, None]}, arrays))
    assert header == {"x": [1, None]}
    assert all((found[name] == array).all() and found[name].shape == array.shape for name, array in arrays.items())
    assert pack({"x": [1, None]}, found) == pack({"x": [1, None]}, arrays)


def test_a_full_disk_leaves_the_old_network(tmp_path, monkeypatch):
    old = Network(CHASER, hidden=(8,), seed=1)
    old.save(tmp_path / FILE)

    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("masume.core.files.system.sync_file", fail)
    with pytest.raises(OSError, match=re.escape(str(tmp_path / FILE))):
        Network(CHASER, hidden=(8,), seed=2).save(tmp_path / FILE)
    assert (Network.load(tmp_path, CHASER).weights["layer0.weight"] == old.weights["layer0.weight"]).all()
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"hidden": ()}, "hidden: expected 1..8 layers, got 0"),
        ({"hidden": (0,)}, "hidden: expected 1..4096, got 0"),
        ({"observe": ["plane"]}, "observe: "),
        ({"observe": []}, "observe: expected at least one"),
        ({"crop": 4}, "crop: expected odd numbers"),
        ({"channels": 257}, "channels: expected 0..256, got 257"),
        ({"blocks": -1}, "blocks: expected 0..32, got -1"),
        ({"channels": 4, "observe": ["scalars"]}, "channels: expected 0, as what chaser shows is not a board, got 4"),
        ({"seed": -1}, "seed: "),
    ],
)
def test_bad_arguments_are_named(fields, told):
    with pytest.raises(masume.ConfigError, match=told):
        Network(CHASER, **fields)


def test_half_the_bytes_hold_nearly_the_same_network(tmp_path):
    network = Network(CHASER, hidden=(8,), seed=7)
    network.save(tmp_path / "whole.npz")
    network.save(tmp_path / "half.npz", "float16")
    found = Network.load(tmp_path / "half.npz", CHASER)
    for name, array in network.weights.items():
        assert found.weights[name].dtype == np.float32
        np.testing.assert_allclose(found.weights[name], array, rtol=1e-3, atol=1e-6, err_msg=name)
    sizes = [(tmp_path / f"{name}.npz").stat().st_size for name in ("half", "whole")]
    assert sizes[0] < 0.6 * sizes[1]
    network.weights["value.bias"][0] = 1e6
    with pytest.raises(masume.ConfigError, match="dtype: expected float32, as a weight is too large"):
        network.save(tmp_path / "half.npz", "float16")


@pytest.mark.parametrize(("name", "shipped"), [(n, s) for n in GAMES for s in find_shipped(masume.load(n))])
def test_a_shipped_network_plays_by_its_name(name, shipped):
    """It plays its config, is named among the players there, and is refused elsewhere."""
    config = dict(unpack(find_shipped(masume.load(name))[shipped].read_bytes())[0]["config"])
    game = masume.load(name, **config)
    assert networks_of(game) == [shipped]
    assert {f"net:{shipped}", f"net:{shipped}:64"} <= {*players_of(game)}
    agents = [make_agent(f"net:{shipped}", game), *(make_agent("random", game) for _ in range(game.num_players - 1))]
    assert play_game(game, agents, 2).state.is_terminal()
    other = next(game for game in (masume.load(name, **case) for case in GAMES[name].CASES) if not networks_of(game))
    with pytest.raises(masume.ConfigError, match="expected"):
        make_agent(f"net:{shipped}", other)


def test_shipped_networks_are_small():
    files = [path for name in GAMES for path in find_shipped(masume.load(name)).values()]
    assert sum(path.stat().st_size for path in files) <= 10**6


def test_names_without_a_network_are_explained(tmp_path):
    with pytest.raises(masume.ConfigError, match="agents: net:nowhere: expected MODULE:ATTR or the folder of a run"):
        make_agent("net:nowhere", CHASER)
    with pytest.raises(OSError, match=re.escape(str(tmp_path / FILE))):
        make_agent(f"net:{tmp_path}", CHASER)


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        ("5h", "5h: expected a number of simulations, or a time such as 50ms, 2s or clock"),
        ("0", "0: expected a number of simulations, or a time such as 50ms, 2s or clock"),
        ("0ms", "0ms: expected a number of simulations, or a time such as 50ms, 2s or clock"),
        ("5ms/trun", "5ms/trun: expected /turn or /ponder after the budget"),
        ("5ms:0", "5ms:0: leaves: expected 1..65536, got 0"),
        ("64:many", "64:many: leaves: expected 1..65536, got many"),
    ],
)
def test_bad_budgets_are_named(budget, told, tmp_path):
    Network(CHASER, hidden=(8,)).save(tmp_path / FILE)
    with pytest.raises(masume.ConfigError, match=f"^agents: net:{re.escape(str(tmp_path))}:{told}$"):
        make_agent(f"net:{tmp_path}:{budget}", CHASER)
    with pytest.raises(masume.ConfigError, match="in chaser a budget is for a decision"):
        make_agent(f"net:{tmp_path}:5ms/turn", CHASER).start(CHASER, 0, 1)


def test_views_without_a_middle_are_not_cropped():
    assert Network(CHASER, hidden=(8,)).crop == (networks.CROP, networks.CROP)
    assert Network(small("nezumi"), hidden=(8,)).crop is None
