"""The campaign tool resumes where it stopped, and a difference ends it with a report."""

import json
import types

import pytest

import campaign
from lockstep import DifferenceError


@pytest.fixture
def seeds(monkeypatch, tmp_path):
    """Return the seeds played, for a stand-in for a game that differs only at seed 47."""
    seen = []

    def play(seed):
        seen.append(seed)
        if seed == 47:
            raise DifferenceError("the twins differ")
        return 3

    def import_module(name):
        return types.SimpleNamespace(play=play, __file__=__file__) if "toy" in name else pytest.fail(name)

    monkeypatch.setattr(campaign.importlib, "import_module", import_module)
    monkeypatch.setattr(campaign, "PROGRESS", tmp_path)
    return seen


def test_a_campaign_plays_the_seeds_in_order_and_counts(seeds, capsys):
    campaign.run("toy", 30, 1, 100)
    assert seeds == list(range(100, 130))
    assert capsys.readouterr().out.splitlines()[-1] == "toy: 30 games, 90 turns, 0 differences"


def test_a_campaign_goes_on_where_it_stopped(seeds, capsys):
    campaign.run("toy", 20, 1, 100)
    campaign.run("toy", 50, 1, 100)
    assert seeds == list(range(100, 150))
    campaign.run("toy", 50, 1, 100)
    assert len(seeds) == 50
    assert capsys.readouterr().out.splitlines()[-1] == "toy: 50 games, 150 turns, 0 differences"


def test_changed_code_starts_it_over(seeds, tmp_path):
    campaign.run("toy", 20, 1, 100)
    path = tmp_path / "toy-100.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "fingerprint": "of older code"}))
    campaign.run("toy", 20, 1, 100)
    assert len(seeds) == 40


def test_a_difference_names_its_seed_and_keeps_what_was_done(seeds, tmp_path):
    with pytest.raises(DifferenceError, match=r"\Athe twins differ\n.* --seed 47\n"):
        campaign.run("toy", 60, 1, 0)
    assert seeds == list(range(48))
    assert json.loads((tmp_path / "toy-0.json").read_text())["games"] == 40


def test_jobs_play_the_same_games():
    assert list(campaign.play("kakomimasu", 0, 45, 2)) == list(campaign.play("kakomimasu", 0, 45, 1))
