"""Clauses and rulings on defeat, removal, scores and the end, as battles on both implementations."""

import pytest

from masume.battleship.config import Config
from masume.errors import ConfigError, GameOverError, StateError

from .conftest import at, kinds, list_allowed, list_events, plain, play, result, ship

OPEN = Config()


def test_bs_6_bs_73_bs_77_sinking_everything_wins(implementation):
    """BS-6 BS-8 BS-73 BS-77 BS-R40 BS-R58: the game ends at once; only its announcement follows."""
    for mission in ("sea_control", "annihilation", "recon", "assault", "blitz"):
        flag = "*" if mission == "blitz" else ""
        state = implementation.battle(f"B@C3{flag}", f"S@C2{flag}", mission=mission)
        play(state, "A0N")
        assert result(state) == ({0}, "victory")
        assert list(state.returns()) == [1, -1]
        assert plain(state, "GAME_OVER", 1) == {"winners": [0], "reason": "victory"}
        assert "TURN" not in kinds(state)
        assert list(state.legal_actions()) == []
        with pytest.raises(GameOverError):
            state.apply(0)


def test_bs_7_bs_79_bs_r44_the_score(implementation):
    """BS-7 BS-79 BS-108 BS-R44: sinkings, damage, ships and HP left count; mines score nothing on their own side."""
    state = implementation.battle("B@C3", "S@C2 B@C1 D@E5", mission="recon", round_limit=1)
    state = implementation.edit(state, mines={(0, at(OPEN, "E4")): 1})
    play(state, "A0N")
    assert list(state.scores()) == [30 + 10 + 30 + 30, 60 + 50]
    assert result(state) is None
    play(state, "M2N1")
    assert list(state.scores()) == [110, 60 + 40]
    assert result(state) == ({0}, "round_limit")


def test_bs_9_bs_11_draws(implementation):
    """BS-9 BS-11 BS-78: annihilation and flagship are drawn when fuel ends the game."""
    for mission, sides in {"annihilation": {0, 1}, "flagship": {0, 1}, "sea_control": {0}}.items():
        flag = "*" * (mission == "flagship")
        state = implementation.battle(f"B@C3{flag}", f"B@C2{flag}", mission=mission)
        state = implementation.edit(state, ship_fp={(0, 0): 10, (1, 0): 3})
        play(state, "A0N")
        assert result(state) == (sides, "fuel")


def test_bs_14_bs_r38_limited_missions_by_score_or_draw(implementation):
    """BS-13 BS-14 BS-94 BS-R38: the game ends after the last turn of the limit round."""
    outcomes = {"recon": {0}, "blitz": {0}, "assault": {0, 1}, "flagship_raid": {0, 1}}
    for mission, sides in outcomes.items():
        flag = "*" if mission in ("blitz", "flagship_raid") else ""
        state = implementation.battle(f"B@C3{flag}", f"B@C2{flag}", mission=mission, round_limit=1)
        play(state, "A0N A0N")
        assert result(state) == (sides, "round_limit")


def test_bs_10_bs_76_flagships(implementation):
    """BS-10 BS-76 BS-11: the first player to sink the enemy's flagship wins, whatever other ships live."""
    state = implementation.battle("B@C3* D@A1", "S@C2* D@E5", mission="flagship")
    play(state, "A0N")
    assert result(state) == ({0}, "victory")
    assert plain(state, "DEFEATED", 1) == {"player": 1, "cause": "flagship"}


def test_bs_12_rescue(implementation):
    """BS-12: the defeat of one member defeats its partner at once."""
    state = implementation.battle("B@C3", "S@C2", "B@A1", "B@E5 D@E4", preset="tag", mission="rescue")
    play(state, "A0N")
    assert result(state) == ({0}, "victory")
    assert [(e["player"], e["cause"]) for e in list_events(state, "DEFEATED", 2)] == [(1, "annihilated"), (3, "ally")]
    state = implementation.battle("B@C3", "S@C2", "B@A1", "B@E5", preset="tag", mission="rescue")
    play(state, "X")  # a player who resigns is also defeated
    assert result(state) == ({1}, "victory")
    assert [(e["player"], e["cause"]) for e in list_events(state, "DEFEATED", 1)] == [(0, "resign"), (2, "ally")]
    with pytest.raises(ConfigError, match=r"^teams"):
        implementation.config(mission="rescue")


def test_bs_15_bs_17_bs_r8_retreat(implementation):
    """BS-15 BS-17 BS-R8: one plays against all others; it wins if it survives to the limit, or by sinking them."""
    state = implementation.battle("B@C3", "B@C2", "B@E5", mission="retreat", round_limit=1, defender=1)
    play(state, "A0N A0E A0N")
    assert result(state) == ({0}, "round_limit")
    assert list(state.returns()) == [-1, 1, -1]
    with pytest.raises(ConfigError, match=r"^teams: retreat"):
        implementation.config(players=3, teams=[0, 0, 1], mission="retreat")


def test_bs_80_bs_93_bs_95_teams_when_time_is_up(implementation):
    """BS-80 BS-92 BS-93 BS-94 BS-95 BS-R46: fewer defeated members decide first, then the mean score."""
    fields = {"preset": "tag", "mission": "recon", "round_limit": 1}
    state = implementation.battle("S@C2", "B@C3", "B@E1", "B@C5", **fields)
    play(state, "M0N1 A0N A0S A0N")
    assert result(state)[1] == "round_limit"
    state = implementation.battle("B@C3", "S@C2", "B@E1", "B@C5 D@D5 D@E5", **fields)
    play(state, "A0N")
    assert state.to_dict()["active"] == [1, 0, 1, 1]
    play(state, "A0S A0N")
    assert result(state) == ({0}, "round_limit")


def test_bs_100_to_105_fighting_on(implementation):
    """BS-100 BS-101 BS-102 BS-103 BS-104 BS-105 BS-R45 BS-R47 BS-R48: defeated players continue to act."""
    fleets = ("B@C3* D@A1", "S@C2* D@E1", "B@E5* D@E4")
    state = implementation.battle(*fleets, preset="multi", mission="flagship")
    play(state, "A0N")
    assert result(state) is None
    assert (state.to_dict()["qual"], state.to_dict()["active"]) == ([1, 0, 1], [1, 1, 1])
    assert state.current_player == 1
    assert not {text for text in list_allowed(state) if text[0] == "R"}
    assert {"A1W", "L1C"} < list_allowed(state)
    state = implementation.edit(state, ship_fp={(1, 1): 12})
    play(state, "A1S")
    assert plain(state, "OUT", 0) == {"player": 1, "cause": "unable"}
    assert (state.to_dict()["active"], state.current_player) == ([1, 0, 1], 2)
    drawn = implementation.battle(*fleets, preset="multi", mission="flagship_raid", round_limit=1)
    play(drawn, "A0N A1S A0N")
    assert result(drawn) == ({0, 1, 2}, "round_limit")
    assert list(drawn.returns()) == [0, 0, 0]


def test_bs_106_bs_181_to_183_resignation(implementation):
    """BS-24 BS-106 BS-181 BS-182 BS-183 BS-R28 BS-R50 BS-R52: the player loses; two others go on without its fleet."""
    fleets = ("D@C3 B@A1", "B@C2 D@E1", "B@E5 D@E4")
    for cause in ("resign", "timeout", "illegal"):
        state = implementation.battle(*fleets, preset="multi")
        play(state, "T0E5 A0N A0N")
        if cause == "resign":
            play(state, "X")
        else:
            state.forfeit(0, cause)
        variables = state.to_dict()
        assert (variables["qual"], variables["active"], variables["torp_n"]) == ([0, 1, 1], [0, 1, 1], [0, 0, 0])
        assert variables["ship_hp"][0] == [0, 0]
        assert (variables["cur"], result(state)) == (1, None)
        assert plain(state, "OUT", 2) == {"player": 0, "cause": cause}
        assert list_events(state, "SUNK") == []
    assert "X" not in list_allowed(implementation.new(0))


def test_bs_45_forfeits_are_for_the_player_to_move_in_play(implementation):
    """BS-45 BS-R50 BS-R52: other players, unknown causes, the setup and the end are refused."""
    state = implementation.battle("B@C3", "B@E1")
    for player, cause in ((1, "resign"), (0, "boredom"), (2, "resign"), (0, None)):
        with pytest.raises(ValueError, match=r"player|cause"):
            state.forfeit(player, cause)
    with pytest.raises(ValueError, match="player"):
        implementation.new(0).forfeit(0, "resign")
    state.forfeit(0, "illegal")
    with pytest.raises(GameOverError):
        state.forfeit(1, "resign")


def test_bs_98_bs_99_teams(implementation):
    """BS-99 BS-90 BS-96 BS-97 BS-98: torpedoes do not hurt allies, mines do."""
    state = implementation.battle("D@A1", "B@E5", "B@A2 D@C5", "B@E4", preset="tag")
    play(state, "T0A2")
    assert ship(state, 2, 0)["hp"] == 3
    assert plain(state, "MISS", 1) == {"panel": "A2"}
    state = implementation.edit(state, cur=2, ptr=2, mines={(0, at(OPEN, "B2")): 1})
    play(state, "M0E1")
    assert ship(state, 2, 0)["hp"] == 2
    assert state.to_dict()["dealt"] == [0, 0, 0, 0]


def test_bs_r45_a_tie_of_scores_is_shared_by_the_tied(implementation):
    """BS-94 BS-R45: only the third player loses."""
    state = implementation.battle("B@A1", "B@E5", "D@E1", preset="multi", mission="recon", round_limit=1)
    play(state, "A0E A0N A0S")
    assert result(state) == ({0, 1}, "round_limit")
    assert list(state.returns()) == [0.25, 0.25, -0.5]


def test_bs_104_an_explosion_finds_who_has_spent_its_last_fuel(implementation):
    """BS-104 BS-R40 BS-R48: the CHECK of the first torpedo comes before the second one flies."""
    state = implementation.battle("D@A5 B@A1", "B@C1", "B@E1", players=3)
    play(state, "T0C5 A0S A0S")
    state = implementation.edit(state, qual={0: 0}, ship_hp={(0, 1): 0}, ship_fp={(0, 0): 20})
    play(state, "T0E5")
    assert kinds(state) == ["TORP_FIRED", "TORP_MOVE", "ATTACK", "MISS", "OUT", "STATUS", "TURN"]
    assert plain(state, "OUT") == {"player": 0, "cause": "unable"}
    assert len(list_events(state, "TORP_MOVE")) == 1
    assert state.to_dict()["torp_n"][0] == 0


def test_bs_77_no_position_waits_for_its_check(implementation):
    """BS-12 BS-77 BS-104: a player is defeated or out at once; a position that contradicts this is invalid."""
    trio = implementation.battle("B@A1 D@A2", "B@C3 D@C4", "B@E5 D@E4", players=3)
    assert implementation.edit(trio, qual={2: 0}, ship_fp={(2, 0): 0}).to_dict()["active"] == [1, 1, 1]
    with pytest.raises(StateError, match="active"):
        implementation.edit(trio, qual={2: 0}, ship_fp={(2, 0): 0, (2, 1): 7})
    with pytest.raises(StateError, match="qual"):
        implementation.edit(trio, ship_hp={(2, 0): 0, (2, 1): 0})
    teams = {"players": 4, "teams": [0, 1, 0, 1]}
    pairs = implementation.battle("B@A1", "B@C3", "B@E5", "B@E1", **teams)
    assert implementation.edit(pairs, qual={0: 0}).to_dict()["qual"] == [0, 1, 1, 1]
    pairs = implementation.battle("B@A1", "B@C3", "B@E5", "B@E1", mission="rescue", **teams)
    with pytest.raises(StateError, match="qual"):
        implementation.edit(pairs, qual={0: 0})
