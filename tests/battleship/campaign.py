"""Comparison of engine and reference in one game given by a seed; tests/campaign.py plays many."""

import json

import numpy as np

from lockstep import Lockstep
from masume.battleship import maps, notation
from masume.battleship.config import MISSIONS, Config
from masume.battleship.knowledge import Knowledge, calls
from masume.battleship.rules.state import OVER, PLAY
from masume.core.rng import Rng
from masume.errors import ConfigError

TEST_GAMES, SLOW_GAMES = 150, 400
SIDES = (3, 3, 4, 4, 5, 5, 5, 6, 7, 9)
TEAMS = {
    2: [None],
    3: [None, None, (0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 1)],
    4: [None, (0, 1, 0, 1), (0, 0, 1, 1), (0, 0, 0, 1), (1, 0, 0, 0)],
}
DEEP = 20  # decisions between comparisons of observations, information states, knowledge and samples
SAMPLES = 1  # positions drawn per player in each of these comparisons


def play(seed):
    """Play the game of this seed on both, compare all answers, and return the number of decisions."""
    rng = Rng(seed)
    config = random_config(rng)
    with Lockstep("battleship", config, rng.next()) as twins:
        eager = rng.below(3)  # the players' preference for shooting, 0..2
        compare(twins)
        while not twins.reference.is_terminal():
            reference = twins.reference
            if reference.phase == PLAY and rng.below(400) == 0:
                twins.attempt("forfeit", reference.cur, ("resign", "timeout", "illegal")[rng.below(3)])
            else:
                if rng.below(16) == 0:
                    twins.refuse(no_action(twins, rng))
                twins.apply(choose(twins, eager, rng))
            compare(twins)
            if rng.below(150) == 0:
                twins.restart()
                compare(twins)
    return twins.plies


# -- random games -----------------------------------------------------------------------------------


def random_config(rng):
    """Return a random config: a preset, or random options, drawn again until they are valid."""
    while True:
        try:
            return Config.make(**random_fields(rng))
        except ConfigError:
            continue


def random_fields(rng):
    def one(*values):
        return values[rng.below(len(values))]

    if rng.below(3) == 0:
        preset = one(*Config.presets())
        size = {} if rng.below(2) else {"width": one(*SIDES), "height": one(*SIDES)}
        return {"preset": preset, **size}
    players = one(2, 2, 3, 4)
    fields = {
        "players": players,
        "width": one(*SIDES),
        "height": one(*SIDES),
        "teams": one(*TEAMS[players]),
        "mission": one(*MISSIONS),
        "fuel": rng.below(4) > 0,
    }
    if fields["mission"] == "retreat":
        fields |= {"teams": None, "defender": rng.below(players)}
    if fields["mission"] in ("recon", "assault", "flagship_raid", "blitz", "retreat") and rng.below(2):
        fields["round_limit"] = 1 + rng.below(12)
    if not fields["fuel"]:
        fields["max_rounds"] = 1 + rng.below(25)
    panels = fields["width"] * fields["height"]
    options = {
        "turn_order": lambda: shuffle(rng, players),
        "fleet_select": lambda: "fixed",
        "fleets": lambda: [[rng.below(4) for _ in range(1 + rng.below(min(12, panels, 6)))] for _ in range(players)],
        "fleet_sizes": lambda: [1 + rng.below(min(12, panels)) for _ in range(players)],
        "equalize_fleets": lambda: bool(rng.below(2)),
        "hp": lambda: [1 + rng.below(4) for _ in range(4)],
        "aux": lambda: [rng.below(6) for _ in range(4)],
        "fp_base": lambda: one(5, 20, 40, 60, 9999),
        "oiler_fp": lambda: one(1, 55, 120, 300),
        "attack_cost": lambda: [1 + rng.below(30) for _ in range(4)],
        "move_cost": lambda: [1 + rng.below(20) for _ in range(4)],
        "move_step_cost": lambda: [rng.below(6) for _ in range(4)],
        "move_flat_dist": lambda: rng.below(9),
        "torpedo_cost": lambda: rng.below(40),
        "mine_cost": lambda: rng.below(30),
        "flagship_cost": lambda: rng.below(30),
        "wave_cost": lambda: rng.below(30),
        "refuel": lambda: bool(rng.below(2)),
        "refuel_max": lambda: rng.below(60),
        "mines": lambda: bool(rng.below(2)),
        "torpedoes": lambda: bool(rng.below(2)),
        "stealth": lambda: bool(rng.below(2)),
        "surface_period": lambda: rng.below(5),
        "reinforce_max": lambda: rng.below(4),
        "reinforce_last_round": lambda: rng.below(30),
        "reinforce_step_rounds": lambda: 1 + rng.below(6),
        "reinforce_num": lambda: rng.below(4),
        "reinforce_num_step": lambda: rng.below(3),
        "reinforce_den": lambda: 1 + rng.below(8),
        "flagship_changes": lambda: rng.below(5),
        "terrain": lambda: bool(rng.below(2)),
        "terrain_weights": lambda: [1 + rng.below(9), *(rng.below(9) for _ in range(4))],
        "terrain_map": lambda: random_map(rng, fields),
        "terrain_known": lambda: bool(rng.below(2)),
        "hit_reveals_class": lambda: bool(rng.below(2)),
        "splash_on_hit": lambda: bool(rng.below(2)),
        "public_hp": lambda: bool(rng.below(2)),
        "attack_own_cell": lambda: bool(rng.below(2)),
        "attack_known_reef": lambda: bool(rng.below(2)),
        "move_rule": lambda: one("rook", "jump"),
        "score_sunk": lambda: rng.below(60),
        "score_hit": lambda: rng.below(60),
        "score_ship": lambda: rng.below(60),
        "score_hp": lambda: rng.below(60),
        "allow_resign": lambda: bool(rng.below(2)),
    }
    often = 2 + rng.below(8)
    return fields | {name: draw() for name, draw in options.items() if rng.below(often) == 0}


def shuffle(rng, count):
    order = list(range(count))
    for i in range(count - 1, 0, -1):
        j = rng.below(i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def random_map(rng, fields):
    """Return random terrain codes, of all kinds or of sea and reef only."""
    kinds = (5, 2)[rng.below(2)]
    share = 1 + rng.below(4)
    count = fields["width"] * fields["height"]
    return [rng.below(kinds) if rng.below(share) == 0 else maps.SEA for _ in range(count)]


def choose(twins, eager, rng):
    """Return a random legal action that rarely resigns, and prefers rare kinds and shots at enemies.

    The true panels of the enemies are used, so that ships sink and games end.
    """
    state, legal = twins.reference, twins.engine.legal_actions().tolist()  # `compare` saw that both list the same
    said = [notation.decode(state.config, code) for code in legal]
    if len(legal) > 1 and rng.below(60):
        legal, said = zip(
            *[pair for pair in zip(legal, said, strict=True) if pair[1].kind != notation.RESIGN], strict=True
        )
    kinds = sorted({action.kind for action in said})
    if rng.below(4) < eager and state.phase == PLAY:
        targets = {state.index(ship.place) for q in state.enemies(state.cur) for _, ship in state.players[q].living}
        hits = [code for code, action in zip(legal, said, strict=True) if aim(state, action) in targets]
        if hits:
            return hits[rng.below(len(hits))]
    if rng.below(3) == 0:
        kind = kinds[rng.below(len(kinds))]
        legal = [code for code, action in zip(legal, said, strict=True) if action.kind == kind]
    return legal[rng.below(len(legal))]


def aim(state, action):
    """Return the panel that an action attacks or mines; -1 if it does neither."""
    if action.kind == notation.TORPEDO:
        return action.where
    if action.kind not in (notation.ATTACK, notation.MINE):
        return -1
    ship = state.players[state.cur].fleet[action.slot]
    return state.index(state.ahead(ship.place, notation.DIRECTIONS[action.where]))


# -- comparisons ------------------------------------------------------------------------------------


def compare(twins):
    """Compare the position, the events and the result after a decision."""
    for name in ("to_dict", "slots", "legal_actions", "scores", "returns"):
        twins.ask(name)
    for player in (None, *range(twins.reference.config.players)):
        twins.ask("events", player)
    if twins.is_due(DEEP):
        compare_deeply(twins)


def compare_deeply(twins):
    """Compare information states, observations, knowledge and samples."""
    engine, reference, rng = twins.engine, twins.reference, twins.rng()
    engine.check()
    reference.check()
    twins.ask("__str__")
    twins.ask("legal_mask")
    variables = engine.to_dict()
    assert twins.game.state_from_dict(json.loads(json.dumps(variables))).key == engine.key
    assert twins.game.parse(str(engine)).to_dict() == variables
    for player in range(reference.config.players):
        twins.ask("information_state", player)
        twins.ask("observation", player)
        if twins.has_past:
            compare_knowledge(reference, player, engine.information_state(player))
        if reference.phase != OVER:
            compare_samples(engine, reference, player, rng)


def compare_knowledge(reference, player, text):
    """The events alone give exactly the knowledge of section 9.1, and never exclude the truth. [9.4]"""
    known = Knowledge(reference.config.public(), player)
    seat, views = notation.views_of(text)
    for told in calls(views):
        known.hear(told)
    assert seat == player
    v, fleet = reference.to_dict(), reference.players[player].fleet
    if reference.phase < PLAY:
        assert views == []
        return
    own = [(ship.cls, ship.panel, ship.hp, ship.fp, ship.aux, ship.flags) for ship in known.ships]
    rows = [v[f"ship_{name}"][player][: len(fleet)] for name in ("cls", "pos", "hp", "fp", "aux", "flags")]
    assert own == list(zip(*rows, strict=True))
    assert known.terrain == {q: code for q, code in enumerate(v["terrain"]) if v["known"][q] >> player & 1}
    assert [known.mines[q] for q in range(len(v["terrain"]))] == v["mines"][player]
    flights = zip(v["torp_id"][player], v["torp_pos"][player], v["torp_tgt"][player], strict=True)
    assert [(t, *places) for t, places in known.torpedoes.items()] == list(flights)[: v["torp_n"][player]]
    for name in ("order", "round", "cur", "qual", "active", "reinf_left", "flag_left", "torp_next"):
        assert getattr(known, name) == v[name], name
    assert known.dealt[player] == v["dealt"][player]
    assert reference.config.players > 2 or (known.dealt, known.kills) == (v["dealt"], v["kills"])
    assert known.passes >= v["pass_run"]
    for q, other in enumerate(reference.players):
        assert known.alive[q] == [ship.is_alive for ship in other.fleet]
        for slot, ship in enumerate(other.fleet):
            assert known.cls[q][slot] in (None, ship.cls)
            if q != player and ship.is_alive:
                assert reference.index(ship.place) in known.suspects[q][slot]


def compare_samples(engine, reference, player, rng):
    """The truth and every sample are consistent; no sample differs in anything that the player knows."""
    assert reference.contradictions(player, reference.to_dict()) == []
    seen, observed = engine.information_state(player), engine.observation(player)
    samples = [sample_of(engine, player, rng.next()) for _ in range(SAMPLES)]
    if samples[0] is None:  # rare; then other draws find one
        samples.extend(sample_of(engine, player, rng.next()) for _ in range(20))
        assert any(samples)
    for sample in filter(None, samples):
        compare_twin(engine, another_truth(sample, rng), player, rng)
        sample.check()
        assert reference.contradictions(player, sample.to_dict()) == []
        assert sample.information_state(player) == seen
        for name, array in sample.observation(player).items():
            assert np.array_equal(array, observed[name]), name
        if reference.cur == player:
            assert sample.legal_actions().tolist() == engine.legal_actions().tolist()


def sample_of(state, player, seed):
    """Return a sample, or None if a bounded number of draws finds none. [9.4]"""
    try:
        return state.resample(player, seed)
    except ValueError as error:
        if "no state found" not in str(error):
            raise
        return None


def another_truth(sample, rng):
    """Return the sample with changes also in values that no player knows before the end."""
    data = bytearray(sample.to_bytes())
    state = np.frombuffer(data, sample.game.state_dtype, 1)
    state["rng"] = rng.next()
    for name in ("dealt", "kills") if sample.phase == PLAY else ():
        state[name][0, : sample.game.num_players] = [rng.below(9) for _ in range(sample.game.num_players)]
    return sample.game.state_from_bytes(bytes(data))


def compare_twin(engine, twin, player, rng):
    """No event, observation or sample of a player depends on values that it cannot know."""
    twin.check()
    assert twin.events(player) == engine.events(player)
    observed = engine.observation(player)
    for name, array in twin.observation(player).items():
        assert np.array_equal(array, observed[name]), name
    if player in engine.slots:
        assert twin.legal_actions().tolist() == engine.legal_actions().tolist()
    seed = rng.next()
    left, right = sample_of(engine, player, seed), sample_of(twin, player, seed)
    assert (left is None) == (right is None)
    if left is not None:
        assert left.to_dict() == right.to_dict()
        assert left.scores().tolist() == right.scores().tolist()


def no_action(twins, rng):
    """Return something that is not a legal action."""
    codes = notation.num_actions(twins.game.config)
    mask = twins.engine.legal_mask().tolist()
    return (codes, -1, 2**40, True, None, 1.0, "wx", [0], mask.index(0))[rng.below(9)]
