"""What "?" tells of a game: its numbers are those of the engines, and it depends on nothing that is hidden."""

import importlib
import json
import re
from types import SimpleNamespace

import pytest

import masume
from masume.chaser.maps import load_shipped
from masume.core import registry
from masume.kakomimasu.notation import FIRST_MOVE, FIRST_REMOVE
from masume.render.drawing import drawing_of
from masume.terraforming.notation import Build, command_of
from masume.web.guides import guide_of
from random_games import random_game
from visitors import Browser, page

GAMES = masume.game.games()


def rows(game, section):
    """Return the rows of a section of a game's guide as lists of texts, by the first one."""
    (found,) = [one for one in guide_of(game, "en")["sections"] if one["name"] == section]
    return {row["cells"][0]: list(row["cells"][1:]) for row in found["rows"]}


def positions(game, seeds=4):
    """Yield (state, move, state after it) of random games."""
    for seed in range(seeds):
        record = random_game(game, ["x"] * game.num_players, seed)
        yield from zip(record.positions, record.moves, record.positions[1:], strict=False)


@pytest.mark.parametrize("name", GAMES)
def test_a_guide_is_complete_and_its_pictures_are_those_of_the_board(name):
    game = masume.load(name)
    for state, player in ((game.new_state(0), None), (game.new_state(0), 0)):
        drawing = drawing_of(state)
        scene = drawing.scene(state, player) if drawing.scene(state).hides else drawing.scene(state)
        guide = guide_of(game, "en")
        assert guide["about"]
        assert guide["help"]
        assert guide["pad"]
        listed = [row for section in guide["sections"] for row in section["rows"]]
        assert any(row["shape"] for row in listed)
        for row in listed:
            assert row["shape"] in ("", *scene.shapes)
            assert row["tile"] in ("", *(tile.mark for tile in scene.tiles))
        for section in guide["sections"]:
            assert {len(row["cells"]) for row in section["rows"]} == {len(section["heads"]) or 2}


@pytest.mark.parametrize("name", GAMES)
def test_a_guide_is_wholly_japanese_for_who_reads_japanese(name):
    def texts(value):
        if isinstance(value, str):
            yield value
        elif isinstance(value, list | tuple):
            for item in value:
                yield from texts(item)

    guide = guide_of(masume.load(name), "ja")
    for section in guide["sections"]:
        for text in texts([section["name"], section["heads"], [row["cells"] for row in section["rows"]]]):
            assert re.search(r"[ぁ-んァ-ヶ一-龠]", text) or re.fullmatch(r"[\d,.–]+( mg)?|HP|FP|Aux|Cool|Hot", text), (
                text
            )
    assert all(re.search(r"[ぁ-ん]", text) for text in texts(guide["endings"]))


@pytest.mark.parametrize("ruleset", ["rulebook", "contest"])
def test_terraforming_builds_and_pays_as_its_guide_says(ruleset):
    game = masume.load("terraforming", ruleset=ruleset, radius=3, max_turns=30)
    buildings, points = rows(game, "Buildings"), rows(game, "Points")
    shapes = drawing_of(game.new_state(0)).scene(game.new_state(0)).shapes
    (listed,) = [one["rows"] for one in guide_of(game, "en")["sections"] if one["name"] == "Buildings"]
    names = [shapes[row["shape"]].name for row in listed]
    assert list(buildings) == names
    cells = list(masume.terraforming.hexes.cells(3))
    built = set()
    for state, move, after in positions(game, 12):
        before, player = state.to_dict(), state.current_player
        for code in state.legal_actions().tolist():
            command = command_of(game.config, code)
            if isinstance(command, Build):
                price, *needed, material, _effect = buildings[names[command.building - 2]]
                site = cells.index(command.cell)
                assert before["robots"][site] >= int(needed[0] if needed else price)
                assert state.material_sum(site, player) >= int(material)
        command = command_of(game.config, move)
        if isinstance(command, Build):
            price = int(buildings[names[command.building - 2]][0])
            site = cells.index(command.cell)
            assert before["robots"][site] - after.to_dict()["robots"][site] == price
            built.add(command.building)
        owned = [0] * 3
        for owner, hole, building, bonus in zip(
            *(after.to_dict()[field] for field in ("owner", "hole", "building", "bonus")), strict=True
        ):
            if owner >= 0 and not hole:
                owned[owner] += int(points["developed land"][0]) + bonus if building else int(points["land"][0])
        assert owned == after.scores().tolist()
    assert len(built) > 1
    (base,) = rows(game, "Land")["base"]
    first = game.new_state(0).to_dict()
    homes = [cell for cell, building in enumerate(first["building"]) if building == 1]
    assert {first["robots"][cell] for cell in homes if first["owner"][cell] == 0} == {int(re.search(r"\d+$", base)[0])}


def test_battleship_ships_have_and_pay_what_its_guide_says():
    fields = {"hp": (4, 3, 2, 1), "aux": (0, 4, 5, 0), "attack_cost": (7, 8, 9, 40), "torpedo_cost": 11}
    game = masume.load("battleship", **fields)
    ships, costs = rows(game, "Ships"), rows(game, "Costs in FP")
    stats = list(ships.values())
    flat = int(re.search(r"\d+", next(name for name in costs if name.startswith("move")))[0])
    seen = set()
    for state, move, after in positions(game, 12):
        before = state.to_dict()
        if before["phase"] == 0 and after.to_dict()["phase"] == 1:
            for player, classes in enumerate(after.to_dict()["ship_cls"]):
                for slot, cls in enumerate(classes[: game.config.fleet_sizes[player]]):
                    has = [after.to_dict()[field][player][slot] for field in ("ship_hp", "ship_fp", "ship_aux")]
                    assert list(map(str, has)) == stats[cls][:3]
        kind, slot, _where, distance = masume.battleship.notation.decode(game.config, move)
        if before["phase"] != 1:
            continue
        player = state.current_player
        told = {
            masume.battleship.notation.ATTACK: "attack",
            masume.battleship.notation.TORPEDO: "torpedo",
            masume.battleship.notation.MINE: "mine",
        }
        cls = before["ship_cls"][player][slot] if slot >= 0 else 0
        paid = before["ship_fp"][player][slot] - after.to_dict()["ship_fp"][player][slot] if slot >= 0 else 0
        is_wave = 4 in after.to_dict()["terrain"]  # high waves cost more
        if kind in told:
            seen.add(kind)
            price = int(costs[told[kind]][cls])
        elif kind == masume.battleship.notation.MOVE:
            seen.add(kind)
            move_row = next(row for name, row in costs.items() if name.startswith("move"))
            price = int(move_row[cls]) + max(0, distance - flat) * int(costs["each panel more"][cls])
        else:
            continue
        refuelled = any(3 in classes for classes in before["ship_cls"])
        if not is_wave and not refuelled and not after.is_terminal():
            assert paid == price
    assert len(seen) == 4


def test_nezumi_food_and_cost_are_those_of_its_guide():
    for name in ("garden", "pantry"):
        game = masume.load("nezumi", stage=name)
        (listed,) = [one["rows"] for one in guide_of(game, "en")["sections"] if one["name"] == "Food"]
        weights = [(row["cells"][1].removesuffix(" mg").replace(",", ""), row["cells"][2]) for row in listed]
        food = {int(weight): int(count) for weight, count in weights}
        eaten = set()
        for _state, _move, after in positions(game, 8):
            eaten |= {event["mg"] for event in after.events() if event["event"] == "eat"}
        assert eaten <= set(food)
        start = game.new_state(0).to_dict()["food"]
        assert {amount: start.count(amount) for amount in start if amount} == food


def test_chaser_and_kakomimasu_count_as_their_guides_say():
    state = masume.load("chaser").new_state(0)
    state.apply(8)  # a search
    (line,) = rows(state.game, "Methods")["search"]
    assert len(state.observation(0)["last_info"]) - 1 == int(re.search(r"\d+", line)[0])
    game = masume.load("kakomimasu")
    (acts,) = rows(game, "Pieces")["mason"]
    assert int(re.search(r"\d+", acts)[0]) == FIRST_REMOVE - FIRST_MOVE


def test_two_fields_that_differ_in_what_is_hidden_have_equal_guides():
    text = load_shipped()["duel"].to_text()
    other = re.sub(r"(?m)^(D:.*?)3", r"\g<1>0", text, count=1)  # one item less
    games = [masume.load("chaser", map=one) for one in (text, other)]
    assert games[0] != games[1]
    told = [json.dumps(guide_of(game, "en")) for game in games]
    assert told[0] == told[1]


def test_whoever_asks_gets_the_same_guide_in_its_language():
    with page() as server:
        owner, other = Browser(server, Accept_Language="en"), Browser(server, **{"Accept-Language": "ja"})
        match = owner.post("/api/play", {"game": "battleship", "seats": ["me", "random"], "seed": 1})["id"]
        assert owner.get(f"/api/m/{match}/guide") == json.loads(
            json.dumps(guide_of(masume.load("battleship", mission="annihilation"), "en"))
        )
        assert other.get(f"/api/m/{match}/guide")["about"] != owner.get(f"/api/m/{match}/guide")["about"]
        other.get("/api/m/none/guide", 404)


def test_a_game_of_another_package_without_a_guide_tells_what_is_known(monkeypatch):
    point = SimpleNamespace(load=lambda: importlib.import_module("plugged"))
    monkeypatch.setattr(registry, "_others", lambda: {"counting": point})
    try:
        guide = guide_of(masume.load("counting"), "en")
    finally:
        registry.package_of.cache_clear()
    assert guide == {"about": "Fill the line.", "help": [], "sections": [], "endings": [], "pad": None}
