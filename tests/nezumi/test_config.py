"""The fields of Config. [section 2]"""

import pickle

import pytest

from masume.errors import ConfigError, ConfigTypeError, StageError
from masume.nezumi.config import Config
from masume.nezumi.stages import Stage, generate, load_shipped


def test_the_defaults():
    config = Config()
    assert config.stage == load_shipped()["garden"]
    assert config.start_stage is config.stage
    assert config.to_dict() == {
        "stage": load_shipped()["garden"].to_text(),
        "max_mice": None,
        "require": None,
        "turns": None,
        "surround_flip": False,
    }


@pytest.mark.parametrize("give", [lambda stage: stage, lambda stage: stage.name, Stage.to_text, Stage.to_json])
def test_a_stage_is_given_as_itself_its_name_or_its_text(give):
    for stage in load_shipped().values():
        config = Config.make(stage=give(stage))
        assert config.stage == stage
        assert Config.make(**config.to_dict()) == config
        assert hash(Config.make(**config.to_dict())) == hash(config)
        assert pickle.loads(pickle.dumps(config)) == config


def test_overrides_hold_in_the_place_of_the_stages_numbers():
    config = Config.make(stage="siege", max_mice=3, require=2, turns=9, surround_flip=True)
    assert (config.start_stage.max_mice, config.start_stage.require, config.start_stage.turns) == (3, 2, 9)
    assert config.stage == load_shipped()["siege"]
    assert config.start_stage.rows == config.stage.rows
    assert Config.make(**config.to_dict()) == config


@pytest.mark.parametrize(
    ("fields", "code", "told"),
    [
        ({"max_mice": 0}, "S04", "max_mice: expected 1..255, got 0"),
        ({"max_mice": 256}, "S04", "max_mice: expected 1..255, got 256"),
        ({"require": 0}, "S04", "require: expected 1..255, got 0"),
        ({"turns": 10_000}, "S04", "turns: expected 1..9999, got 10000"),
        ({"turns": True}, "S04", "turns: expected an int, got True"),
        ({"turns": 2.0}, "S04", "turns: expected an int, got 2.0"),
        ({"max_mice": 1}, "S05", "stage: require: 2 is more than max_mice, 1"),
        ({"require": 4}, "S05", "stage: require: 4 is more than max_mice, 3"),
    ],
)
def test_overrides_that_are_refused(fields, code, told):
    with pytest.raises(StageError, match=f"^{told}") as caught:
        Config.make(**fields)
    assert caught.value.code == code
    assert isinstance(caught.value, ConfigError)


def test_a_generated_stage_is_drawn_from_the_seed():
    config = Config.make(generated="height=5 width=6 max_mice=2", seed=3, turns=4)
    assert config.stage.to_text() == generate(3, height=5, width=6, max_mice=2)
    assert config.start_stage.turns == 4
    assert config.redrawn(3) == config
    other = config.redrawn(4)
    assert other.stage.to_text() == generate(4, height=5, width=6, max_mice=2)
    assert (other.seed, other.turns) == (4, 4)
    for one in (config, other):
        assert Config.make(**one.to_dict()) == one
        assert pickle.loads(pickle.dumps(one)) == one
    assert Config().redrawn(4) == Config()


def test_overrides_are_applied_before_the_stage_is_judged():
    """Two open diagonals, both in the zone: playable with one mouse, not with two. [S14]"""
    text = "nezumi-stage 1\nname: t\nmax_mice: 1\nrequire: 1\nturns: 5\nmap:\n.Z.Z.\n..C..\n"
    Config.make(stage=text)
    with pytest.raises(StageError) as caught:
        Config.make(stage=text, max_mice=2)
    assert caught.value.code == "S14"


@pytest.mark.parametrize(
    ("fields", "kind", "told"),
    [
        ({"surround_flip": 1}, ConfigTypeError, "surround_flip: expected True or False, got 1"),
        ({"surround_flip": None}, TypeError, "surround_flip: "),
        ({"stage": "nowhere"}, ValueError, "stage: expected one of garden, "),
        ({"stage": None}, ConfigTypeError, "stage: "),
        ({"size": 3}, ConfigError, r"size: no such field .*; the fields are stage, max_mice"),
        ({"seed": 3}, ConfigError, "seed: expected 0 without a generated stage, got 3"),
        ({"seed": -1, "generated": ""}, ConfigError, "seed: expected 0..18446744073709551615, got -1"),
        ({"generated": 5}, ConfigTypeError, "generated: expected a string, got 5"),
        ({"generated": "heigt=5"}, ConfigError, "generated: unknown parameter 'heigt' .*; did you mean 'height'"),
        ({"generated": "seed=5"}, ConfigError, "generated: unknown parameter 'seed'"),
        ({"generated": "height=5 height=6"}, ConfigError, "generated: height: expected one whole number, got"),
        ({"generated": "height=x"}, ConfigError, "generated: height: expected one whole number, got 'height=x'"),
        ({"generated": "height=33"}, StageError, "generated: height: expected 5..32, got 33"),
        ({"generated": "height=5 width=5 zone=30"}, StageError, "generated: height: 5 rows of width 5 and 5 walls"),
        ({"generated": "", "stage": "garden"}, ConfigError, "stage: expected none beside a generated one"),
        ({"generated": "", "stage": "siege"}, ConfigError, "stage: expected none beside a generated one, got 'siege'"),
        ({"preset": "contest"}, ConfigError, "preset: "),
    ],
)
def test_other_fields_that_are_refused(fields, kind, told):
    with pytest.raises(kind, match=f"^{told}"):
        Config.make(**fields)
