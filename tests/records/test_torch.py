"""The PyTorch dataset gives every ply once to some rank, in an order of the seed, and continues an epoch."""

import itertools

import pytest

import masume
from masume.play.selfplay import selfplay

torch = pytest.importorskip("torch", reason="the extra `sb3` is not installed")
pytestmark = pytest.mark.slow

from masume.records.torch import RecordDataset  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("run") / "run"
    game = masume.load("chaser", width=5, height=5, n_blocks=2, n_items=4, turn_limit=6)
    selfplay([game], ["random"], num_games=40, chunk=5, out=out)
    return out


def keys(batches):
    return [(int(game), int(ply)) for batch in batches for game, ply in zip(batch["game"], batch["ply"], strict=True)]


def test_an_epoch_has_every_ply_once_in_another_order(folder):
    records = masume.load_records(folder)
    assert len(records._shards) == 8
    dataset = RecordDataset(folder, 1, seed=3)
    first, second = keys(dataset), keys(dataset)
    assert len(first) == len(set(first)) == records.num_plies
    assert set(first) == set(second)
    assert first != second
    assert keys(RecordDataset(folder, 1, seed=3)) == first
    assert keys(RecordDataset(folder, 1, seed=4)) != first
    batch = next(iter(RecordDataset(folder, 16)))
    assert batch["actions"].dtype == torch.int16
    assert batch["seed"].dtype == torch.int64
    assert len(batch["returns"]) == 16


def test_ranks_share_the_shards_and_end_together(folder):
    parts = [list(RecordDataset(folder, 4, seed=1, rank=rank, num_ranks=3)) for rank in range(3)]
    assert len({len(part) for part in parts}) == 1
    seen = [set(keys(part)) for part in parts]
    assert all(len(part) == 4 * len(its) for part, its in zip(seen, parts, strict=True))
    assert not any(one & other for one, other in itertools.combinations(seen, 2))


def test_an_epoch_goes_on_where_it_was_left(folder):
    whole = RecordDataset(folder, 8, seed=2)
    list(whole)
    expected = keys(whole)
    broken = RecordDataset(folder, 8, seed=2)
    list(broken)
    begun = keys(itertools.islice(iter(broken), 3))
    state = broken.state_dict()
    assert state == {"epoch": 1, "batches": 3}
    resumed = RecordDataset(folder, 8, seed=2)
    resumed.load_state_dict(state)
    assert begun + keys(resumed) == expected
    assert resumed.epoch == 2


def test_a_data_loader_reads_it_with_workers(folder):
    dataset = RecordDataset(folder, 4, seed=1, fields=["game", "ply"])
    loader = torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=2)
    seen = keys(loader)
    assert len(seen) == len(set(seen)) > 100


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 0}, "size"), ({"rank": 1}, "rank"), ({"num_ranks": 9}, "num_ranks: expected at most 8"),
        ({"fields": ["nothing"]}, "fields"), ({"seed": -1}, "seed"),
    ],
)  # fmt: skip
def test_bad_arguments_are_named(folder, options, message):
    with pytest.raises(masume.ConfigError, match=message):
        RecordDataset(folder, **{"size": 4, **options})
    for state in ({}, {"epoch": -1, "batches": 0}, 3):
        with pytest.raises(masume.ConfigError, match=r"state|epoch"):
            RecordDataset(folder, 4).load_state_dict(state)


def test_one_game_of_a_run_of_several_is_read_alone(tmp_path):
    games = [masume.load("chaser", width=5, height=5, n_blocks=2, n_items=4, turn_limit=6), masume.load("kakomimasu")]
    selfplay(games, ["random"], num_games=12, chunk=4, out=tmp_path)
    wanted = masume.load_records(tmp_path).of("chaser")
    batches = list(RecordDataset(tmp_path, 1, game="chaser"))
    assert {batch["actions"].shape for batch in batches} == {(1, 1)}
    assert len(batches) == len(set(keys(batches))) == wanted.num_plies
    with pytest.raises(masume.ConfigError, match="game: expected one of chaser, kakomimasu, got 'nezumi'"):
        RecordDataset(tmp_path, 1, game="nezumi")
