"""Beliefs of players: all possible fleets in the plain game, sampled ones in others."""

import pytest

import masume
from masume.battleship import Belief
from masume.battleship.knowledge import calls
from masume.battleship.notation import views_of
from masume.core.rng import Rng
from masume.errors import ConfigError


def rounds(number, viewer=0, turns=100, **options):
    """Yield (state, belief) after each call of a random game with this seed, without resignations."""
    own = {name: options.pop(name) for name in ("particles", "seed") if name in options}
    state = masume.load("battleship", **{"allow_resign": False, **options}).new_state(number)
    belief, rng = Belief(state.game.config, viewer, **own), Rng(number)
    while not state.is_terminal() and turns:
        turns -= state.phase == 1
        legal = state.legal_actions()
        state.apply(int(legal[rng.below(len(legal))]))
        belief.hear(state.views(viewer))
        if state.phase == 1:
            yield state, belief


def truth(state, player):
    """Return (living slots, panels, damage) of a fleet."""
    v, config = state.to_dict(), state.game.config
    alive = [slot for slot, hp in enumerate(v["ship_hp"][player]) if hp > 0]
    damage = [config.hp[v["ship_cls"][player][s]] - v["ship_hp"][player][s] for s in alive]
    return alive, [v["ship_pos"][player][s] for s in alive], damage


def test_before_the_first_shot_all_placements_are_possible():
    _, belief = next(rounds(1, preset="classic"))
    assert belief.is_exact
    assert len(belief.fleets[1]) == 13_800 == 25 * 24 * 23
    for row in belief.chances(1):
        assert row == pytest.approx([1 / 25] * 25)


@pytest.mark.parametrize("preset", ["classic", "submarine"])
@pytest.mark.parametrize("seed", range(4))
def test_the_exact_posterior_never_loses_the_truth(preset, seed):
    sizes = []
    for state, belief in rounds(seed, turns=60, preset=preset):
        alive, panels, damage = truth(state, 1)
        found = [([fleet.panels[s] for s in alive], [fleet.damage[s] for s in alive]) for fleet in belief.fleets[1]]
        assert (panels, damage) in found
        assert all(fleet.is_exact for fleet in belief.fleets[1])
        sizes.append(len(found))
    assert sizes[-1] < sizes[0] / 20


def test_the_exact_posterior_sees_more_than_the_candidate_sets():
    """Each of two ships can be on several panels, but not in every combination."""
    tighter = 0
    for _, belief in rounds(2, turns=40, preset="classic"):
        suspects = belief.known.suspects[1]
        for slot, row in enumerate(belief.chances(1)):
            possible = {panel for panel, chance in enumerate(row) if chance > 0}
            assert possible <= suspects[slot]
            tighter += possible < suspects[slot]
    assert tighter > 0


@pytest.mark.parametrize(
    "fields", [{}, {"preset": "tag"}, {"preset": "multi", "surface_period": 1}, {"fleet_sizes": [5, 2], "hp": [2] * 4}]
)
def test_particles_are_fleets_that_may_be(fields):
    for state, belief in rounds(3, turns=50, particles=60, **fields):
        for player, fleets in belief.fleets.items():
            alive, _, _ = truth(state, player)
            suspects = belief.known.suspects[player]
            assert len(fleets) == (60 if alive else 0)
            for fleet in fleets:
                panels = [fleet.panels[slot] for slot in alive]
                assert len(set(panels)) == len(panels)
                for slot in alive:
                    assert fleet.panels[slot] in suspects[slot] or not fleet.is_exact
                    told = belief.known.cls[player][slot]
                    assert told is None or fleet.classes[slot] == told
                    assert 0 <= fleet.damage[slot] < max(state.game.config.hp)
            for slot, row in enumerate(belief.chances(player)):
                assert sum(row) == pytest.approx(float(slot in alive))


def test_where_no_particle_survives_fleets_come_from_the_candidate_sets():
    kinds = {
        fleet.is_exact
        for _, belief in rounds(3, turns=60, particles=3, preset="classic", stealth=True)
        for fleet in belief.fleets[1]
    }
    assert kinds == {True, False}


def test_a_belief_depends_on_the_events_and_its_seed_alone():
    games = [list(rounds(5, turns=25, particles=40, seed=seed))[-1] for seed in (1, 1, 2)]
    one, same, other = (belief for _, belief in games)
    assert one.fleets == same.fleets
    assert one.fleets != other.fleets
    state = games[0][0]
    again = Belief(state.game.config, 0, particles=40, seed=1)
    for told in calls(views_of(state.information_state(0))[1]):
        again.hear(told)
    assert again.fleets == one.fleets
    assert again.sample(1) == one.sample(1)


def test_a_sample_is_a_fleet_of_its_own():
    *_, (_, belief) = rounds(5, turns=5, particles=10)
    before = [fleet.copy() for fleet in belief.fleets[1]]
    belief.sample(1).panels[0] = -7
    assert belief.fleets[1] == before


def test_what_there_is_no_belief_in_is_named():
    config = masume.load("battleship").config
    for options in ({"particles": 0}, {"particles": 10**7}, {"seed": -1}, {"player": 2}):
        with pytest.raises(ConfigError, match=next(iter(options))):
            Belief(config, **{"player": 0, **options})
    with pytest.raises(ValueError, match="player"):
        Belief(config, 0).sample(1)
