"""Stage files, stages from arrays, the built-in stages and the generator. [sections 4.2 to 4.4, 10.2]"""

import json
import pickle
import re

import pytest

from masume import cli
from masume.core.rng import Rng
from masume.errors import ConfigError, ConfigTypeError, StageError
from masume.nezumi import stages
from masume.nezumi.stages import (
    DIAGONALS,
    PARAMETERS,
    Food,
    Stage,
    distances,
    generate,
    load_shipped,
    neighbours,
    the_stage,
)

from . import vectors

BASE = [
    "nezumi-stage 1",
    "name: t",
    "max_mice: 3",
    "require: 2",
    "turns: 5",
    "food: a crumb 5mg",
    "map:",
    "Z..a",
    "...C",
]
TEXT = "".join(line + "\n" for line in BASE)


def change(*changes):
    """Return the base text with some lines replaced; each change is (line number from 1, replacement lines)."""
    lines = [[line] for line in BASE]
    for number, *instead in changes:
        lines[number - 1] = instead
    return "".join(line + "\n" for group in lines for line in group)


def refusal(text):
    """Return (code, line, column) of the error in a text."""
    with pytest.raises(StageError, match=r"^stage: line \d+, column \d+: .* \[S\d\d\]$") as caught:
        Stage.parse(text)
    return caught.value.code, caught.value.line, caught.value.column


# -- stage files -------------------------------------------------------------------------------------


def test_the_base_text_is_a_stage():
    stage = Stage.parse(TEXT)
    assert (stage.name, stage.height, stage.width, stage.cat) == ("t", 2, 4, 7)
    assert (stage.max_mice, stage.require, stage.turns) == (3, 2, 5)
    assert stage.wall == (0,) * 8
    assert stage.zone == (1, *(0,) * 7)
    assert stage.food == (0, 0, 0, 5, *(0,) * 4)
    assert stage.foods == (Food("a", "crumb", 5),)
    assert stage.to_text() == TEXT
    assert stage.rows == BASE[7:]


WRONG = {
    "`stage 2`": (change((1, "nezumi-stage 2")), "S01", 1, 1),
    "extra `speed: 3`": (change((5, "turns: 5", "speed: 3")), "S02", 6, 1),
    "second `name`": (change((5, "turns: 5", "name: u")), "S02", 6, 1),
    "no `turns`": (change((5,)), "S03", 6, 1),
    "text cut before `map:`": ("\n".join(BASE[:6]), "S03", 6, 1),
    "`turns: 0`": (change((5, "turns: 0")), "S04", 5, 8),
    "`turns: x`": (change((5, "turns: x")), "S04", 5, 8),
    "`max_mice: 256`": (change((3, "max_mice: 256")), "S04", 3, 11),
    "`require: 4`": (change((4, "require: 4")), "S05", 4, 10),
    "`0mg`": (change((6, "food: a crumb 0mg")), "S06", 6, 15),
    "`1.5mg`": (change((6, "food: a crumb 1.5mg")), "S06", 6, 15),
    "`5t`": (change((6, "food: a crumb 5t")), "S06", 6, 15),
    "`0.0005g`": (change((6, "food: a crumb 0.0005g")), "S06", 6, 15),
    "letter `A`": (change((6, "food: A crumb 5mg")), "S06", 6, 7),
    "second row `..C`": (change((9, "..C")), "S07", 9, 1),
    "44 columns": (change((8, "Z" + "." * 43), (9, "." * 43 + "C")), "S08", 8, 33),
    "`Z.?a`": (change((8, "Z.?a")), "S09", 8, 3),
    "no C": (change((9, "....")), "S10", 8, 1),
    "two C": (change((9, "C..C")), "S10", 9, 4),
    "`...a`": (change((8, "...a")), "S11", 9, 4),
    "`Z..b`": (change((8, "Z..b")), "S12", 8, 4),
    "rows `Z#.a` / `.#.C`": (change((8, "Z#.a"), (9, ".#.C")), "S13", 9, 4),
    "`Z.Za`": (change((8, "Z.Za")), "S14", 9, 4),
    "`name : t`": (change((2, "name : t")), "S02", 2, 1),
    "a leading blank before a key": (change((2, " name: t")), "S02", 2, 1),
    "BOM": ("\ufeff" + TEXT, "S01", 1, 1),
    "`turns: +5`": (change((5, "turns: +5")), "S04", 5, 8),
    "`5 mg`": (change((6, "food: a crumb 5 mg")), "S06", 6, 6),
    "`.5g`": (change((6, "food: a crumb .5g")), "S06", 6, 15),
    "`5.g`": (change((6, "food: a crumb 5.g")), "S06", 6, 15),
    "`5MG`": (change((6, "food: a crumb 5MG")), "S06", 6, 15),
    "`1000000.000001kg`": (change((6, "food: a crumb 1000000.000001kg")), "S06", 6, 15),
    "a row `;...`": (change((9, ";..C")), "S09", 9, 1),
    "an empty line between two rows": (change((9, "", "...C")), "S07", 9, 1),
    "two food lines for `a`": (change((6, "food: a crumb 5mg", "food: a bean 6mg")), "S06", 7, 7),
    # not in the list of the rules
    "nothing at all": ("", "S01", 1, 1),
    "comments alone": (";\n\n", "S01", 3, 1),
    "no colon": (change((2, "name t")), "S02", 2, 1),
    "a value after map": (change((7, "map: x")), "S02", 7, 1),
    "a comment with a blank before": (change((2, " ; x", "name: t")), "S02", 2, 1),
    "Arabic digits": (change((5, "turns: ٥")), "S04", 5, 8),
    "ten digits": (change((5, "turns: 0000000005")), "S04", 5, 8),
    "a food of two words": (change((6, "food: a 5mg")), "S06", 6, 6),
    "a kind of 33 letters": (change((6, f"food: a {'x' * 33} 5mg")), "S06", 6, 9),
    "two letters": (change((6, "food: ab crumb 5mg")), "S06", 6, 7),
    "sixteen digits": (change((6, "food: a crumb 0000000000000005mg")), "S06", 6, 15),
    "seven decimals": (change((6, "food: a crumb 5.0000000mg")), "S06", 6, 15),
    "no rows": (change((8,), (9,)), "S07", 7, 1),
    "an empty first row": (change((8, "", "Z..a")), "S07", 8, 1),
    "33 rows": (change((9, *["...."] * 31, "...C")), "S08", 40, 1),
    "food out of reach": (change((8, "Z..."), (9, "...C", "####", "a...")), "S13", 11, 1),
}


@pytest.mark.parametrize(("text", "code", "line", "column"), WRONG.values(), ids=WRONG)
def test_stage_files_that_are_refused(text, code, line, column):
    assert refusal(text) == (code, line, column)


RIGHT = {
    "trailing blanks": change((7, "map: "), (8, "Z..a \t"), (1, "nezumi-stage 1 ")),
    "CR": TEXT.replace("\n", "\r\n"),
    "comments, empty lines": change((1, "; a stage", "", "nezumi-stage 1", ";"), (7, "", "map:"), (9, "...C", "", "")),
    "no blank after the colon": change((3, "max_mice:3"), (6, "food:a\tcrumb  5mg")),
    "leading zeros": change((5, "turns: 005")),
    "another order": change((2, "turns: 5"), (5, "name: t")),
    "5.0mg": change((6, "food: a crumb 5.0mg")),
    "0.005g": change((6, "food: a crumb 0.005g")),
    "0.000005kg": change((6, "food: a crumb 0.000005kg")),
    "no line end": TEXT.removesuffix("\n"),
}


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_other_ways_to_write_the_same_stage(text):
    assert Stage.parse(text) == Stage.parse(TEXT)
    assert Stage.parse(text).to_text() == TEXT


@pytest.mark.parametrize(
    ("amount", "mg"), [("1.5g", 1500), ("0.000001kg", 1), ("5.0mg", 5), ("1000000000000mg", 10**12), ("007g", 7000)]
)
def test_amounts(amount, mg):
    assert Stage.parse(change((6, f"food: a crumb {amount}"))).food[3] == mg


def test_every_case_of_the_rules_is_tried():
    """Each code in the results of section 10.2 is tried at least as often as it appears there."""
    text = " ".join(vectors.section("Changes and results:\n", "### 10.3").splitlines()[1:])
    codes = re.findall(r"S\d\d", text)
    assert len(codes) == 31
    tried = [code for _, code, _, _ in WRONG.values()]
    assert all(codes.count(code) <= tried.count(code) for code in codes)


def test_names_may_be_any_text_of_one_line():
    for name in ("", "a: b", "鼠 \x0b\u2028 x", "food: a b 1mg", ";"):
        stage = Stage.parse(change((2, f"name: {name}")))
        assert stage.name == name
        assert Stage.parse(stage.to_text()) == stage
    assert change((2, "name:")) == Stage.parse(change((2, "name:  "))).to_text()


def test_defined_but_unused_and_unsorted_foods_are_kept():
    text = change((6, "food: z nut 1kg", "food: a crumb 5mg", "food: b crumb 5mg"))
    stage = Stage.parse(text)
    assert stage.foods == (Food("a", "crumb", 5), Food("b", "crumb", 5), Food("z", "nut", 1_000_000))
    assert "food: a crumb 5mg\nfood: b crumb 5mg\nfood: z nut 1000000mg\nmap:" in stage.to_text()


@pytest.mark.parametrize("name", load_shipped())
def test_mutated_stage_files_are_read_or_refused_with_a_place(name):
    """A mutated file raises StageError with a line, or is read and survives being written and read again."""
    text = load_shipped()[name].to_text()
    rng = Rng(len(text))
    letters = "\n\r\t :;#.ZCabk0159mgx"
    read = 0
    places = []
    for _ in range(300):
        mutant = text
        for _ in range(1 + rng.below(2)):
            at = rng.below(len(mutant))
            drop = rng.below(3)
            mutant = mutant[:at] + letters[rng.below(len(letters))] * rng.below(2) + mutant[at + drop :]
        try:
            stage = Stage.parse(mutant)
        except StageError as error:
            places.append((error.line, mutant.count("\n") + 1, error.column))
        else:
            assert Stage.parse(stage.to_text()) == stage
            read += 1
    assert 10 < read < 200
    assert all(1 <= line <= last and column >= 1 for line, last, column in places)


def test_stage_errors_pickle():
    with pytest.raises(StageError) as caught:
        Stage.parse(change((5, "turns: 0")))
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.code, again.line, again.column) == (str(caught.value), "S04", 5, 8)


# -- arrays ------------------------------------------------------------------------------------------

ARRAYS = {
    "name": "t",
    "height": 2,
    "width": 4,
    "wall": [0] * 8,
    "zone": [1] + [0] * 7,
    "food": [0, 0, 0, 5, 0, 0, 0, 0],
    "cat": 7,
    "max_mice": 3,
    "require": 2,
    "turns": 5,
}


def test_a_stage_from_arrays():
    stage = Stage(**ARRAYS)
    assert stage.to_text() == TEXT.replace("crumb", "food")
    assert Stage.parse(stage.to_text()) == stage
    assert stage == the_stage(ARRAYS)


def test_zone_food_and_cat_may_overlap_in_arrays():
    stage = Stage(**ARRAYS | {"zone": [1, 0, 0, 1, 0, 0, 0, 1], "food": [4, 0, 0, 5, 0, 0, 0, 6]})
    assert not stage.has_text
    assert stage.rows == ["a..b", "...C"]
    with pytest.raises(ValueError, match="no stage file can hold it"):
        stage.to_text()
    told = json.loads(json.dumps(stage.to_json()))
    assert the_stage(told) == stage


def test_arrays_with_more_than_26_amounts_have_no_text():
    food = [0, *range(1, 30), 0]
    fields = {"height": 1, "width": 31, "wall": [0] * 31, "zone": [1] + [0] * 30, "food": food, "cat": 30}
    stage = Stage(**ARRAYS | fields)
    assert not stage.has_text
    assert the_stage(stage.to_json()) == stage
    assert Stage(**ARRAYS | fields | {"food": [min(amount, 26) for amount in food]}).has_text


@pytest.mark.parametrize(
    ("fields", "code", "told"),
    [
        ({"wall": [0] * 7}, "S15", "wall: expected 8 values, got 7"),
        ({"zone": 3}, "S15", "zone: expected a list, got 3"),
        ({"wall": [0] * 7 + [1]}, "S15", r"wall\[7\]: the cat is on it"),
        ({"wall": [1] + [0] * 7}, "S15", r"wall\[0\]: zone is on it"),
        ({"wall": [0, 0, 0, 1] + [0] * 4}, "S15", r"wall\[3\]: food is on it"),
        ({"food": [-1] + [0] * 7}, "S15", r"food\[0\]: expected"),
        ({"food": [10**12 + 1] + [0] * 7}, "S15", r"food\[0\]: expected"),
        ({"food": [0.5] + [0] * 7}, "S15", r"food\[0\]: expected an int"),
        ({"zone": [2] + [0] * 7}, "S15", r"zone\[0\]: expected 0..1, got 2"),
        ({"cat": 8}, "S15", "cat: expected 0..7, got 8"),
        ({"cat": True}, "S15", "cat: expected an int"),
        ({"height": 33}, "S08", "height: expected 1..32, got 33"),
        ({"width": 0}, "S08", "width: expected 1..32, got 0"),
        ({"max_mice": 256}, "S04", "max_mice: expected 1..255, got 256"),
        ({"turns": "5"}, "S04", "turns: expected an int"),
        ({"require": 4}, "S05", "require: 4 is more than max_mice, 3"),
        ({"zone": [0] * 7 + [1]}, "S11", "zone: empty, except"),
        ({"wall": [0, 1, 0, 0] * 2}, "S13", "zone: no way leads"),
        ({"zone": [1, 0, 1, 0] + [0] * 4}, "S14", "cat: mice put into the zone surround it"),
        ({"name": "a\nb"}, "S15", "name: 'a.nb' has a line end"),
        ({"name": " a"}, "S15", "name: ' a' has a line end, or a blank"),
        ({"letters": "...b....", "foods": (("a", "crumb", 5),)}, "S15", "letters: they do not match"),
    ],
)
def test_arrays_that_are_refused(fields, code, told):
    with pytest.raises(StageError, match=rf"^stage: {told}.*\[{code}\]$") as caught:
        Stage(**ARRAYS | fields)
    assert (caught.value.code, caught.value.line) == (code, 0)


def test_s14_asks_for_as_many_mice_as_diagonals():
    """A cat with two open diagonals in the zone loses at once to two mice, not to one. [NZ-R27]"""
    fields = {"height": 2, "width": 5, "wall": [0] * 10, "zone": [0, 1, 0, 1] + [0] * 6, "food": [0] * 10, "cat": 7}
    Stage(**ARRAYS | fields | {"max_mice": 1, "require": 1})
    with pytest.raises(StageError) as caught:
        Stage(**ARRAYS | fields | {"max_mice": 2})
    assert caught.value.code == "S14"


@pytest.mark.parametrize(
    ("source", "kind", "told"),
    [
        (3, ConfigTypeError, "expected a Stage, a name or a stage file's text, got 3"),
        ("nowhere", ConfigError, "expected one of garden, pantry"),
        ({**ARRAYS, "size": 3}, ConfigError, "size: no such field"),
        ({"name": "t"}, ConfigError, "height: missing"),
        ({**ARRAYS, "name": 3}, ConfigTypeError, "name: expected a string, got 3"),
    ],
)
def test_what_is_no_stage(source, kind, told):
    with pytest.raises(kind, match=f"^stage: {told}"):
        the_stage(source)


def test_a_stage_file_is_loaded_under_its_name(tmp_path):
    path = tmp_path / "my.stage"
    path.write_bytes(TEXT.encode())
    assert stages.load_file(path) == {"t": Stage.parse(TEXT)}
    path.write_bytes(b"\xff" + TEXT.encode())
    with pytest.raises(ConfigError, match=r"^stage: .*my\.stage: not UTF-8"):
        stages.load_file(path)


def test_facts_say_what_there_is():
    garden = load_shipped()["garden"]
    assert stages.facts("garden", garden) == {
        "name": "garden", "height": 7, "width": 7, "max_mice": 3, "require": 2, "turns": 14, "zone": 4, "foods": 6,
        "food_mg": 46,
    }  # fmt: skip
    table = vectors.section("Balance check", "In no pairing matrix")
    for name, stage in load_shipped().items():
        told = stages.facts(name, stage)
        row = f"| {name} | {told['height']}x{told['width']} | {stage.max_mice} | {stage.require} | {stage.turns} |"
        assert f"{row} {told['food_mg']} |" in table


def test_info_shows_every_stage(capsys):
    assert cli.main(["info", "nezumi", "--stage", "vault"]) == 0
    output = capsys.readouterr().out
    for name, stage in load_shipped().items():
        assert f"\n{name}\n" + "\n".join(stage.rows) + "\n\n" in output
    assert "Nezumi vault, placement" in output


# -- the generator -----------------------------------------------------------------------------------


def test_the_generators_draws():
    rng = Rng(0)
    assert [f"{rng.next():016x}" for _ in range(3)] == ["e220a8397b1dcdaf", "6e789e6aa1b965f4", "06c45d188009454f"]
    rng = Rng(1)
    assert [rng.below(10) for _ in range(12)] == [5, 7, 9, 4, 4, 7, 8, 5, 2, 7, 4, 6]


@pytest.mark.parametrize("seed", range(150))
def test_generated_stages_keep_what_the_generator_promises(seed):
    rng = Rng(seed)
    height, width, walls = 5 + rng.below(12), 5 + rng.below(12), rng.below(41)
    mice, zone, foods = 1 + rng.below(255), 1 + rng.below(20), rng.below(20)
    if height * width - height * width * walls // 100 < zone + foods + 10:
        with pytest.raises(StageError, match=r"\[G02\]$"):
            generate(seed, height, width, walls, mice, zone, foods)
        return
    text = generate(seed, height, width, walls, mice, zone, foods)
    stage = Stage.parse(text)
    assert stage.to_text() == text
    assert (stage.height, stage.width, stage.max_mice, stage.turns) == (height, width, mice, height + width)
    assert (sum(stage.zone), sum(map(bool, stage.food))) == (zone, foods)
    near = neighbours(stage.cat, height, width, [*stages.STEPS, *DIAGONALS])
    assert not any(stage.zone[cell] for cell in [stage.cat, *near])
    assert len(distances(stage.cat, height, width, stage.wall)) == height * width - sum(stage.wall)
    assert sum(stage.wall) <= height * width * walls // 100
    assert [food.amount // stage.foods[0].amount for food in stage.foods] == [1, 3, 8]


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"seed": -1}, "seed"),
        ({"seed": 2**64}, "seed"),
        ({"seed": True}, "seed"),
        ({"seed": 1.0}, "seed"),
        ({"height": 4}, "height"),
        ({"width": 33}, "width"),
        ({"walls_pct": 41}, "walls_pct"),
        ({"max_mice": 0}, "max_mice"),
        ({"zone": 65}, "zone"),
        ({"foods": 257}, "foods"),
        ({"turns": 10_000}, "turns"),
        ({"require": 6}, "require"),
        ({"richness": 0}, "richness"),
    ],
)
def test_g01_numbers_that_are_refused(arguments, name):
    with pytest.raises(StageError, match=rf"^{name}: .*\[G01\]$") as caught:
        generate(**{"seed": 1, **arguments})
    assert caught.value.code == "G01"


def test_g02_too_little_room():
    generate(1, 5, 5, 0, 5, 4, 11)
    with pytest.raises(StageError, match=r"^height: .*\[G02\]$"):
        generate(1, 5, 5, 0, 5, 4, 12)


def test_extreme_numbers_make_stages():
    largest = Stage.parse(generate(2**64 - 1, 32, 32, 40, 255, 64, 256, 9999, 255, 10_000))
    assert (largest.height, largest.width, largest.turns, largest.require) == (32, 32, 9999, 255)
    bare = Stage.parse(generate(0, 5, 5, 0, 1, 1, 0))
    assert (bare.turns, bare.require, sum(bare.food), sum(bare.wall)) == (10, 1, 0, 0)
    assert list(PARAMETERS) == list(generate.__code__.co_varnames[: generate.__code__.co_argcount])
