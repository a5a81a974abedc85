"""The fields of Config. [section 2]"""

import pickle

import pytest

from masume.errors import ConfigError, ConfigTypeError, StageError
from masume.nezumi.config import Config
from masume.nezumi.stages import Stage, load_shipped


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
        ({"seed": 3}, ConfigError, "seed: no such field; the fields are stage, max_mice"),
        ({"preset": "contest"}, ConfigError, "preset: "),
    ],
)
def test_other_fields_that_are_refused(fields, kind, told):
    with pytest.raises(kind, match=f"^{told}"):
        Config.make(**fields)
