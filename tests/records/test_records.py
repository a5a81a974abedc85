"""Records are read back as they were written, in both formats; errors name what is damaged or does not replay."""

import functools
import hashlib
import io
import json
import operator
import os
import shutil
import tracemalloc
import zipfile

import numpy as np
import pytest

import masume
import players
import sealed
from masume.play.run import CHUNK_PYTHON
from masume.play.selfplay import selfplay
from masume.records import store
from masume.records.arrays import FORMATS, MIXED_SHARDS, POLICY
from toy import Counting

SMALL = {"width": 5, "height": 4, "n_agents": 2, "total_turns": 6}
KAKOMIMASU = masume.load("kakomimasu", **SMALL, seed=3)
THREE = masume.load("kakomimasu", **SMALL, n_players=3, seed=4)
CHASER = masume.load("chaser", preset="contest", height=7, width=7, n_blocks=4, n_items=5, turn_limit=12)
TERRAFORMING = masume.load("terraforming", max_turns=2)
COUNTING = masume.load(Counting(length=5))


@pytest.fixture(params=list(FORMATS))
def form(request):
    return request.param


def run(out, form, games=(KAKOMIMASU, THREE), agents=("random",), **changed):
    arguments = {"num_games": 20, "seed": 1, "replays": 0} | changed
    return selfplay(list(games), list(agents), **arguments, records=form, out=out)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run in each format, of several shards."""
    folder = tmp_path_factory.mktemp("runs")
    for form in FORMATS:
        run(folder / form, form, agents=("py:players:Thinker", "random"), num_games=45, keep=["legal"])
    return folder


def thinking(runs, form):
    return masume.load_records(runs / form)


# -- contents --------------------------------------------------------------------------------


def test_both_forms_hold_the_same(runs):
    one, other = (thinking(runs, form) for form in FORMATS)
    assert list(one) == list(other)
    for name, array in one.items():
        assert (array.dtype, array.shape) == (other[name].dtype, other[name].shape), name
        np.testing.assert_array_equal(array, other[name])
    assert (one.num_games, one.num_plies) == (45, 45 * 6) == (len(one["game"]), len(one["ply"]))
    assert [game.new_state().key for game in one.games] == [game.new_state().key for game in (KAKOMIMASU, THREE)]


def test_thoughts_are_kept_beside_the_moves_of_those_who_had_them(runs, form):
    records = thinking(runs, form)
    names = records["names"].tolist()
    length, agents = records["length"], records["agents"]
    thinker = np.repeat(agents == names.index("py:players:Thinker"), length, axis=0)
    wanted = np.where(np.arange(3) > 0, 0.25, -0.5)
    np.testing.assert_array_equal(records["value"], np.where(thinker, wanted, np.nan).astype(np.float32))
    legal = next(records.batches(45 * 6))["legal"]
    policy = next(records.batches(45 * 6))["policy"]
    seat = np.repeat(np.arange(3), 2)  # the seat of each slot
    told = thinker[:, seat]
    np.testing.assert_allclose(policy.sum(axis=-1), told, atol=1e-6)
    assert ((policy > 0) == (legal & told[..., None])).all()
    first = legal.argmax(axis=-1)[..., None]
    assert set(np.take_along_axis(policy, first, axis=-1)[told].ravel().tolist()) == {0.75}
    assert records["policy_size"].sum() == len(records["policy_code"]) == np.count_nonzero(policy)


@pytest.mark.parametrize("game", [KAKOMIMASU, CHASER, TERRAFORMING], ids=lambda game: game.name)
def test_masks_and_observations_are_those_of_the_plies(game, form, tmp_path):
    keep = ["scalars", "legal", *(["mask", "last_action"] if game is CHASER else [])]
    run(tmp_path, form, [game], ["random"], num_games=3, keep=keep)
    records = masume.load_records(tmp_path)
    assert records.verify() == 3
    batch = next(records.batches(10**6))
    row = 0
    for seed, length in zip(records["seed"].tolist(), records["length"].tolist(), strict=True):
        state = game.new_state(seed)
        for _ in range(length):
            masks = [state.legal_mask(slot).astype(bool).tolist() for slot in range(len(state.slots))]
            assert batch["legal"][row].tolist() == masks
            for name in keep:
                if name != "legal" and game.is_simultaneous:
                    seen = [state.observation(player)[name] for player in range(game.num_players)]
                    np.testing.assert_array_equal(batch[name][row], seen)
                elif name != "legal":
                    np.testing.assert_array_equal(batch[name][row], state.observation(state.current_player)[name])
            actions = records["actions"][row].tolist()
            state.apply(actions if game.num_slots > 1 else actions[0])
            row += 1


def test_a_shard_of_the_size_that_policies_get_is_read(tmp_path, form):
    """Parquet stores narrow integers in four bytes: a quarter of a million of them are more than any allowance."""
    run(tmp_path, form, [masume.load("kakomimasu")], num_games=400)
    actions = masume.load_records(tmp_path)["actions"]
    assert actions.dtype == np.int16
    assert actions.size > 2**18


def test_actions_that_are_no_codes_are_wide(tmp_path, form):
    run(tmp_path, form, [TERRAFORMING], num_games=3)
    actions = masume.load_records(tmp_path)["actions"]
    assert actions.dtype == np.int64
    assert actions.max() >= 2**16


def test_a_search_tells_what_it_thought(tmp_path, form):
    run(tmp_path, form, [CHASER], ["mcts:30", "greedy"], num_games=4)
    records = masume.load_records(tmp_path)
    assert records.verify() == 4
    searcher = np.repeat(records["agents"] == 0, records["length"], axis=0)
    moved = searcher[np.arange(len(records["ply"])), records["player"]]
    policy = next(records.batches(10**6))["policy"]
    np.testing.assert_allclose(policy.sum(axis=-1)[:, 0], moved, atol=1e-6)
    mine = records["value"][np.arange(len(moved)), records["player"]]
    assert (np.isfinite(mine) == moved).all()
    assert (np.abs(mine[moved]) <= 1).all()
    chosen = np.take_along_axis(policy[moved, 0], records["actions"][moved].astype(np.int64), axis=-1)
    assert (chosen[:, 0] == policy[moved, 0].max(axis=-1)).all()


# -- in batches -------------------------------------------------------------------------------


def test_batches_go_through_all_plies_once(runs, form):
    records = thinking(runs, form)
    assert len(list((runs / form / FORMATS[form][-1]).iterdir())) == -(-45 // CHUNK_PYTHON) > MIXED_SHARDS
    plies = 45 * 6
    for size in (1, 7, 48, 100, plies, 1000):
        for seed in (None, 5):
            found = list(records.batches(size, seed=seed, fields=["game", "ply", "returns"]))
            assert [len(batch["game"]) for batch in found[:-1]] == [size] * (len(found) - 1)
            assert sum(len(batch["game"]) for batch in found) == plies
            keys = np.concatenate([batch["game"] * 6 + batch["ply"] for batch in found])
            assert sorted(keys.tolist()) == list(range(plies))
            assert (keys.tolist() == list(range(plies))) == (seed is None)
            for batch in found:
                np.testing.assert_array_equal(batch["returns"], records["returns"][batch["game"]])


def test_a_seed_decides_the_order(runs, form):
    def order(seed):
        records = thinking(runs, form)
        return np.concatenate([batch["game"] * 6 + batch["ply"] for batch in records.batches(50, seed=seed)]).tolist()

    assert order(1) == order(1)
    assert order(1) != order(2)


def test_a_batch_offers_every_field_ready_to_learn_from(runs, form):
    records = thinking(runs, form)
    batch = next(records.batches(16, seed=0))
    assert set(batch) == set(records) - {"names", "configs"} - set(POLICY) | {"policy"}
    for name, array in batch.items():
        assert len(array) == 16, name
        assert array.flags.c_contiguous
        assert array.flags.writeable
        assert array.dtype.isnative
    assert batch["legal"].dtype == np.bool_
    assert batch["legal"].shape == batch["policy"].shape == (16, 6, KAKOMIMASU.num_actions)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": 0}, "size: expected"),
        ({"size": 1.5}, "size: expected an int"),
        ({"size": 1, "seed": -1}, "seed: expected"),
        ({"size": 1, "fields": ["planes"]}, "fields: expected one of game, config"),
        ({"size": 1, "fields": ["policy_size"]}, "fields: expected one of .*, got 'policy_size'"),
    ],
)
def test_bad_arguments_of_batches_are_named(arguments, message, runs):
    with pytest.raises(masume.ConfigError, match=message):
        thinking(runs, "npz").batches(**arguments)


# -- as Arrow ---------------------------------------------------------------------------------


def test_arrow_has_a_row_a_game_and_a_row_a_ply(runs):
    pq = pytest.importorskip("pyarrow.parquet")
    records = thinking(runs, "npz")
    games, plies = records.to_arrow()
    again = thinking(runs, "parquet").to_arrow()
    for mine, other, with_nan in zip((games, plies), again, ("returns", "value"), strict=True):
        assert mine.schema == other.schema
        assert mine.drop([with_nan]).equals(other.drop([with_nan]))
        assert str(mine[with_nan].to_pylist()) == str(other[with_nan].to_pylist())
    assert (games.num_rows, plies.num_rows) == (45, 270)
    np.testing.assert_array_equal(plies["game"], np.repeat(records["game"], records["length"]))
    assert plies["actions"].to_pylist() == records["actions"].tolist()
    assert [len(codes) for codes in plies["policy_code"].to_pylist()] == records["policy_size"].tolist()
    files = sorted((runs / "parquet" / "plies").iterdir())
    assert pq.read_table(files[0]).drop(["value"]).equals(plies.slice(0, 6 * CHUNK_PYTHON).drop(["value"]))
    assert {pq.ParquetFile(files[0]).metadata.row_group(0).column(k).compression for k in range(5)} == {"ZSTD"}


def test_parquet_without_pyarrow_names_the_extra(monkeypatch, tmp_path, runs):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(masume.ConfigError, match=r"^pyarrow is not installed: pip install '\.\[data\]' in a clone"):
        run(tmp_path / "run", "parquet")
    assert not (tmp_path / "run").exists()
    with pytest.raises(masume.ConfigError, match="pyarrow is not installed"):
        thinking(runs, "parquet")


# -- a run under way --------------------------------------------------------------------------


def test_what_is_finished_can_be_read_while_the_rest_is_played(tmp_path, form):
    seen = []

    def look(games, _):
        if games == 3 * CHUNK_PYTHON + 1 and not seen:
            seen.append(masume.load_records(tmp_path)["game"].tolist())

    run(tmp_path, form, agents=["py:players:Random"], num_games=4 * CHUNK_PYTHON, progress=look)
    (games,) = seen
    assert games in [list(range(chunks * CHUNK_PYTHON)) for chunks in (2, 3)]  # the third may still wait for the disk


def test_a_manifest_only_grows(tmp_path, form):
    sizes = []
    grown = []

    def look(games, _):
        text = (tmp_path / "manifest.jsonl").read_bytes()
        grown.append(not sizes or text.startswith(sizes[-1]))
        sizes.append(text)

    run(tmp_path, form, agents=["py:players:Random"], num_games=4 * CHUNK_PYTHON, progress=look)
    assert all(grown)
    lines = [text.count(b"\n") for text in sizes]
    assert lines == sorted(lines)
    assert lines[0] == 1
    assert lines[-1] in (3, 4)  # when the last game ends, the third chunk may still wait for the disk
    assert b"config" in sizes[-1].splitlines()[0]
    assert not any(b"config" in line for line in sizes[-1].splitlines()[1:])


@pytest.mark.parametrize("torn", [b"{", b'{"chunk":2,"files":{', b"\0" * 300])
def test_a_torn_last_line_does_not_count_and_is_cut_off(torn, tmp_path):
    run(tmp_path, "npz")
    path = tmp_path / "manifest.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    assert masume.load_records(tmp_path).num_games == 20
    run(tmp_path, "npz")
    assert path.read_bytes() == whole


def test_a_line_lost_is_a_chunk_played_again(tmp_path, form):
    run(tmp_path, form, agents=["py:players:Random"])
    path = tmp_path / "manifest.jsonl"
    header, first, second, third = path.read_bytes().splitlines(keepends=True)
    before = {file: file.read_bytes() for kind in FORMATS[form] for file in (tmp_path / kind).iterdir()}
    for lost in ([header], [header, third], [header, first, second, third[:40]]):
        path.write_bytes(b"".join(lost))
        run(tmp_path, form, agents=["py:players:Random"])
        assert {file: file.read_bytes() for file in before} == before
        assert sorted(shard["chunk"] for shard in map(json.loads, path.read_bytes().splitlines()[1:])) == [0, 1, 2]


# -- damage -----------------------------------------------------------------------------------


def test_damage_is_noticed(tmp_path, form):
    run(tmp_path, form)
    kind = FORMATS[form][-1]
    shard = tmp_path / store.file_name(kind, 0)
    whole = shard.read_bytes()
    shard.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    looks = (lambda: masume.load_records(tmp_path)["ply"], lambda: run(tmp_path, form))
    for look in looks:
        with pytest.raises(masume.ReplayError, match=rf"{shard.name}: its SHA-256 is not the one in manifest\.jsonl"):
            look()
    shard.unlink()
    for look in looks:
        with pytest.raises(masume.ReplayError, match=rf"{shard.name}: missing, though manifest\.jsonl lists it"):
            look()
    for no_folder in ("nowhere", "manifest.jsonl"):
        with pytest.raises(masume.ReplayError, match="not a self-play run"):
            masume.load_records(tmp_path / no_folder)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a manifest: it has no complete line"),
        ("{", "not a manifest: it has no complete line"),
        ("{\n", ":1: not JSON"),
        ("[" * 100_000 + "\n", ":1: not JSON"),
        ("[]\n", ":1: line: expected an object"),
        ('{"version": 2}\n', ":1: parameters: missing"),
        ('{"version": 1, "parameters": {}}\n', ":1: version: expected 2, got 1"),
        ('{"version": 2, "parameters": {}}\n', r":1: parameters\.games: missing"),
    ],
)
def test_a_manifest_that_is_none_is_refused(text, message, tmp_path):
    (tmp_path / "manifest.jsonl").write_text(text)
    with pytest.raises(masume.ReplayError, match=message):
        masume.load_records(tmp_path)


def test_a_run_without_a_shard_has_no_records_yet(tmp_path):
    run(tmp_path, "npz")
    path = tmp_path / "manifest.jsonl"
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    with pytest.raises(masume.ReplayError, match="no shard is finished yet"):
        masume.load_records(tmp_path)


@pytest.mark.parametrize(
    ("line", "place", "value", "message"),
    [
        (1, ["parameters"], [], r"parameters: expected an object, got \[\]"),
        (1, ["parameters", "games"], 5, r"parameters\.games: expected an array"),
        (1, ["parameters", "fields", "ply", "shape"], [-1], r"fields\.ply\.shape\[0\]: expected a number from 0"),
        (2, [], 1, r"line: expected an object, got 1"),
        (2, ["chunk"], ..., r"chunk: missing"),
        (2, ["chunk"], -1, r"chunk: expected a number from 0, got -1"),
        (2, ["surplus"], 1, r"surplus: no such key"),
        (2, ["files", "records"], 5, r"files\.records: expected an object, got 5"),
        (2, ["files", "secrets"], {"file": "x", "sha256": "y"}, r"files\.secrets: unknown key"),
        (2, ["files", "records", "file"], "records/a\0b", r"records\.file: expected 'records/0000\.npz', got"),
        (2, ["files", "records", "sha256"], None, r"files\.records\.sha256: expected a string, got None"),
        (2, ["finished_s"], "x", r"finished_s: expected a number from 1e-06, got 'x'"),
        (2, ["finished_s"], 10**400, r"finished_s: expected a number from 1e-06"),
        (2, ["finished_s"], float("nan"), "not JSON: expected a number, got NaN"),
        (2, ["tallies"], 5, r"tallies: expected an object, got 5"),
        (2, ["tallies", "kakomimasu", "games"], 0, r"tallies\.kakomimasu\.games: expected a number from 1"),
        (2, ["tallies", "kakomimasu", "won"], [True], r"kakomimasu\.won\[0\]: expected a number from 0"),
        (2, ["tallies", "kakomimasu", "agents", "random"], [1], r"agents\.random: expected an array of 2"),
        (
            2,
            ["tallies"],
            functools.reduce(lambda value, _: [value], range(900), []),
            "nested too deep|tallies: expected an object",
        ),
        (3, ["chunk"], 0, r"files\.records\.file: expected 'records/0000\.npz', got 'records/0001\.npz'"),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, list) else "",
)
def test_a_damaged_manifest_is_refused_by_line_and_key(line, place, value, message, tmp_path):
    run(tmp_path, "npz", agents=["py:players:Random"])
    path = tmp_path / "manifest.jsonl"
    lines = sealed.read_lines(path)
    if place:
        changed = lines[line - 1]
        *parents, key = place
        part = functools.reduce(operator.getitem, parents, changed)
        if value is ...:
            del part[key]
        else:
            part[key] = value
    else:
        changed = value
    lines[line - 1] = changed
    sealed.write_lines(path, lines)
    for look in (lambda: masume.load_records(tmp_path), lambda: run(tmp_path, "npz", agents=["py:players:Random"])):
        with pytest.raises(masume.ReplayError, match=message) as caught:
            look()
        assert str(caught.value).startswith(f"{path}:{line}: ")


def test_a_flipped_bit_of_a_manifest_is_noticed(tmp_path):
    """Any bit of a chunk's line, including bits of digits that give another valid number."""
    run(tmp_path, "npz")
    path = tmp_path / "manifest.jsonl"
    whole = path.read_bytes()
    begin = whole.index(b"\n") + 1
    for at in [*range(0, begin, 31), *range(begin, len(whole) - 1)]:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        with pytest.raises(masume.ReplayError, match=r"manifest\.jsonl:[123]: "):
            store.read_manifest(tmp_path)


def test_a_line_without_its_checksum_is_one_of_before(tmp_path):
    run(tmp_path, "npz", agents=["py:players:Random"])
    path = tmp_path / "manifest.jsonl"
    lines = sealed.read_lines(path)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines[:3]))
    assert masume.load_records(tmp_path).verify() == 2 * CHUNK_PYTHON
    run(tmp_path, "npz", agents=["py:players:Random"])
    assert [b'"sha256":"' in line[-80:] for line in path.read_bytes().splitlines()] == [False] * 3 + [True]
    assert masume.load_records(tmp_path).verify() == 20


def test_a_checksum_that_was_written_anew_otherwise_is_told(tmp_path):
    run(tmp_path, "npz")
    path = tmp_path / "manifest.jsonl"
    path.write_text("".join(json.dumps(json.loads(line)) + "\n" for line in path.read_text().splitlines()))
    with pytest.raises(masume.ReplayError, match=r"manifest\.jsonl:1: sha256: does not match the line"):
        masume.load_records(tmp_path)


def test_a_pipe_in_the_place_of_a_file_is_refused(tmp_path):
    """Reading a pipe would never end."""
    run(tmp_path, "npz")
    for name in ("records/0000.npz", "manifest.jsonl"):
        (tmp_path / name).unlink()
        os.mkfifo(tmp_path / name)
        with pytest.raises(OSError, match="Not a regular file"):
            masume.load_records(tmp_path)["ply"]


def test_a_chunk_stands_in_one_line(tmp_path):
    run(tmp_path, "npz")
    path = tmp_path / "manifest.jsonl"
    header, first = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(header + first + first)
    with pytest.raises(masume.ReplayError, match=r"manifest\.jsonl:3: chunk: 0 is in line 2 too"):
        masume.load_records(tmp_path)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (["records"], "csv", "records: expected one of npz, parquet, got 'csv'"),
        (["records"], "parquet", r"chunk 0: files\.games: missing"),
        (["fields", "ply", "dtype"], "O", r"fields\.ply: 'ply' or 'O' is unknown"),
        (["fields", "ply", "of"], "move", r"fields\.ply: 'move' or 'int32' is unknown"),
        (["fields", "seed"], ..., r"fields\.seed: missing"),
        (
            ["fields", "seed", "of"],
            "ply",
            r"fields\.seed: expected RecordField\(of='game', .*, got RecordField\(of='ply'",
        ),
        (["fields", "agents", "shape"], [], r"fields\.agents\.shape: expected one number"),
        (["num_actions"], 2**40, "num_actions: 1099511627776 is more than 32768"),
    ],
)
def test_parameters_that_cannot_be_are_refused(place, value, message, tmp_path):
    run(tmp_path, "npz")
    path = tmp_path / "manifest.jsonl"
    lines = sealed.read_lines(path)
    *parents, key = place
    part = functools.reduce(operator.getitem, parents, lines[0]["parameters"])
    if value is ...:
        del part[key]
    else:
        part[key] = value
    sealed.write_lines(path, lines)
    with pytest.raises(masume.ReplayError, match=message):
        masume.load_records(tmp_path)


# -- verifying --------------------------------------------------------------------------------


def forge(folder, change):
    """Change the arrays of the first shard, and the checksum in the manifest."""
    path = folder / store.file_name("records", 0)
    with np.load(path) as archive:
        arrays = dict(archive)
    change(arrays)
    np.savez(path, **arrays)
    sign(folder)


def sign(folder):
    """Write the checksums of the first shard's files into the manifest."""
    manifest = folder / "manifest.jsonl"
    lines = sealed.read_lines(manifest)
    for entry in lines[1]["files"].values():
        entry["sha256"] = hashlib.sha256((folder / entry["file"]).read_bytes()).hexdigest()
    sealed.write_lines(manifest, lines)


def put(name, place, value):
    def change(arrays):
        arrays[name][place] = value

    return change


@pytest.mark.parametrize("threads", [1, 3])
def test_records_are_verified_by_replay(threads, runs, tmp_path, form):
    assert thinking(runs, form).verify(threads) == 45
    run(tmp_path, form, [KAKOMIMASU, CHASER, TERRAFORMING, COUNTING], num_games=12)
    assert masume.load_records(tmp_path, [COUNTING]).verify(threads) == 12
    with pytest.raises(masume.ReplayError, match="'counting' is a plug-in that was not given"):
        masume.load_records(tmp_path).verify()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("actions", (7, 0), 999), "game 1, ply 1: slot 0: action 999 is not allowed"),
        (put("actions", (7, 0), -1), "game 1, ply 1: slot 0: action -1 is not allowed"),
        (put("actions", (0, 5), 3), "game 0: actions: replaying gives another one"),
        (put("seed", 2, 1), "seed: not those of the run's games from 0 on"),
        (put("game", 2, 3), "game: not those of the run's games from 0 on"),
        (put("config", 2, 1), "config: not those of the run's games from 0 on"),
        (put("returns", (2, 0), 0.5), "game 2: returns: replaying gives another one"),
        (put("returns", (2, 2), 0.0), "game 2: returns: replaying gives another one"),
        (put("scores", (3, 1), -7), "game 3: scores: replaying gives another one"),
        (put("player", 7, 1), "game 1: player: replaying gives another one"),
        (put("ply", 7, 3), "game 1: ply: replaying gives another one"),
        (put("legal", (7, 0, 0), 0), "game 1: legal: replaying gives another one"),
        (put("length", slice(0, 2), [5, 7]), "game 0: it goes on after the 5 plies"),
        (put("length", 0, 7), "length: not the 120 plies of its games"),
        (put("length", slice(0, 2), [-1, 13]), "length: not the 120 plies of its games"),
        (lambda arrays: arrays.pop("ply"), r"0000\.npz: .*ply"),
        (lambda arrays: arrays.update(ply=arrays["ply"][:-1]), "ply: expected 120 rows, got 119"),
        (lambda arrays: arrays.update(player=arrays["player"][:-1]), "player: expected 120 rows, got 119"),
        (lambda arrays: arrays.update(ply=arrays["ply"].astype(float)), "ply: expected int32.* a row, got float64"),
        (
            lambda arrays: arrays.update(actions=arrays["actions"][:, :2]),
            r"actions: expected int16\[6\] .* got int16\[2\]",
        ),
        (lambda arrays: arrays.update({k: v[:-1] for k, v in arrays.items()}), "game: expected 20 rows, got 19"),
    ],
)
def test_what_does_not_replay_is_named(change, message, tmp_path):
    run(tmp_path, "npz", keep=["legal"])
    forge(tmp_path, change)
    with pytest.raises(masume.ReplayError, match=message):
        masume.load_records(tmp_path).verify()


# -- malformed shards -----------------------------------------------------------------------------


def repacked(folder, change):
    """Change the members of the first npz file, (name, bytes) pairs, and the checksums."""
    path = folder / store.file_name("records", 0)
    with zipfile.ZipFile(path) as archive:
        members = change([(name, archive.read(name)) for name in archive.namelist()])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    sign(folder)


def array_bytes(array, **more):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, **more)
    return file.getvalue()


def with_member(name, data):
    return lambda members: [(f"{name}.npy", data) if key == f"{name}.npy" else (key, old) for key, old in members]


DEEP = b"\x93NUMPY\x01\x00" + (9000).to_bytes(2, "little") + (b"-" * 8999 + b"\n")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_member("ply", b""), "ply|EOF|magic"),
        (with_member("ply", DEEP), ""),
        (with_member("ply", array_bytes(np.array([None] * 120), allow_pickle=True)), "ply: expected int32"),
        (with_member("ply", array_bytes(np.array(5, np.int32))), "ply: expected rows, got a single value"),
        (with_member("ply", array_bytes(np.zeros(120, np.int32))[:-4]), "ply: expected 608 bytes, got 604"),
        (with_member("ply", array_bytes(np.zeros(120, np.int32)) + b"x"), "ply: expected 608 bytes, got 609"),
        (with_member("ply", array_bytes(np.zeros(120, np.int32), version=(3, 0))), "ply: expected npy version 1.0"),
        (with_member("actions", array_bytes(np.zeros((120, 6), np.int16, order="F"))), "expected C order"),
    ],
)  # fmt: skip
def test_an_archive_of_other_things_is_named(change, message, tmp_path):
    run(tmp_path, "npz")
    repacked(tmp_path, change)
    with pytest.raises(masume.ReplayError, match=rf"0000\.npz: .*({message})"):
        masume.load_records(tmp_path).verify()


def damaged(data, seed):
    """Return the bytes with one bit flipped."""
    rng = np.random.default_rng(seed)
    data = bytearray(data)
    data[rng.integers(len(data))] ^= 1 << rng.integers(8)
    return bytes(data)


def test_a_damaged_shard_whose_sum_is_right_is_named(tmp_path, form):
    """Errors of the parsers, after the checksum passes, name the file too."""
    run(tmp_path, form, agents=["py:players:Thinker", "random"], keep=["legal"], num_games=8)
    path = tmp_path / store.file_name(FORMATS[form][-1], 0)
    whole = path.read_bytes()
    told = []
    for seed in range(150):
        path.write_bytes(damaged(whole, seed))
        sign(tmp_path)
        try:
            records = masume.load_records(tmp_path)
            list(records.batches(64, seed=1))
            records.verify()
        except masume.ReplayError as error:
            told.append(str(error))
    assert len(told) > 60
    assert all(str(tmp_path) in one for one in told)


def peak(look):
    """Return the error message of the call, and its peak memory in bytes."""
    tracemalloc.start()
    try:
        with pytest.raises(masume.ReplayError) as caught:
            look()
        return str(caught.value), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["ply", "actions", "policy_code"])
def test_an_archive_that_would_grow_is_refused_before_it_does(name, tmp_path):
    """Zeros grow by a factor of a thousand when unpacked."""
    run(tmp_path, "npz", agents=["py:players:Thinker", "random"], num_games=8)
    fields = masume.load_records(tmp_path).fields
    repacked(tmp_path, with_member(name, array_bytes(np.zeros((2**22, *fields[name].shape), fields[name].dtype))))
    assert (tmp_path / "records" / "0000.npz").stat().st_size < 2**18
    told, used = peak(lambda: masume.load_records(tmp_path)[name])
    assert f"{name}: " in told
    assert "rows, got 4194304" in told
    assert used < 2**20


def test_a_member_that_lies_about_its_size_is_refused(tmp_path):
    run(tmp_path, "npz")
    short = array_bytes(np.zeros(120, np.int32))
    repacked(tmp_path, with_member("ply", short + bytes(2**24)))
    path = tmp_path / store.file_name("records", 0)
    size, told = (len(short) + 2**24).to_bytes(4, "little"), len(short).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(size, told))
    sign(tmp_path)
    message, used = peak(lambda: masume.load_records(tmp_path)["ply"])
    assert "Bad CRC-32" in message
    assert used < 2**20


@pytest.mark.parametrize("name", ["ply", "actions", "policy_code"])
def test_a_table_that_would_grow_is_refused_before_it_does(name, tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    run(tmp_path, "parquet", agents=["py:players:Thinker", "random"], num_games=8)
    path = tmp_path / store.file_name("plies", 0)
    table = pq.read_table(path)
    column = table.schema.get_field_index(name)
    rows, kind = table.num_rows, table.schema.types[column]
    many = 2**22 // rows
    if name == "ply":
        table = pa.concat_tables([table] * 1000).combine_chunks()
        message = "expected .* rows, got 48000"
    else:
        ends = pa.array(np.arange(rows + 1) * many, pa.int32())
        array = pa.ListArray.from_arrays(ends, pa.array(np.zeros(rows * many, np.int16), kind.value_type))
        table = table.set_column(column, name, array)
        message = "values of .* bytes, more than"
    pq.write_table(table, path, compression="zstd", use_dictionary=name != "policy_code")
    assert path.stat().st_size < 2**20
    sign(tmp_path)
    before = pa.total_allocated_bytes()
    with pytest.raises(masume.ReplayError, match=rf"0000\.parquet: {name}: .*{message}|game: .*{message}"):
        masume.load_records(tmp_path)[name]
    assert pa.total_allocated_bytes() - before < 2**22


# -- write errors -----------------------------------------------------------------------------


def test_a_disk_that_fills_up_leaves_what_is_whole(tmp_path, form, monkeypatch):
    """The run ends with the error, and continues from there when there is room again."""
    run(tmp_path / "whole", form, agents=["py:players:Random"], num_games=40)
    written = []
    write = store.write_atomic

    def full(path, data):
        written.append(path)
        if len(written) > 3 * len(FORMATS[form]):
            raise OSError(28, "No space left on device", str(path))
        write(path, data)

    monkeypatch.setattr(store, "write_atomic", full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        run(tmp_path / "full", form, agents=["py:players:Random"], num_games=40)
    assert caught.value.filename in map(str, written[3 * len(FORMATS[form]) :])
    monkeypatch.undo()
    records = masume.load_records(tmp_path / "full")
    assert records.verify() == 3 * CHUNK_PYTHON
    run(tmp_path / "full", form, agents=["py:players:Random"], num_games=40)
    again = masume.load_records(tmp_path / "full")
    for name, array in masume.load_records(tmp_path / "whole").items():
        np.testing.assert_array_equal(again[name], array)


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OSError, match="file") as caught:
        run(tmp_path / "file" / "run", "npz")
    assert caught.value.filename == str(tmp_path / "file" / "run")
    with pytest.raises(OSError, match="/proc/run"):
        run("/proc/run", "npz")
    shutil.rmtree(tmp_path)
    players.Counted.made = 0
    with pytest.raises(OSError, match="/proc/run"):
        run("/proc/run", "npz", agents=["py:players:Counted"])
    assert players.Counted.made == 1  # only the check of its name


# -- several kinds of games ------------------------------------------------------------------


MIX = (KAKOMIMASU, CHASER, TERRAFORMING)
CODES = {game.name: game.num_actions for game in MIX}


def mixed(out, form, **changed):
    return run(
        out, form, MIX, ("py:players:Random", "random"), **{"num_games": 11, "chunk": 4, "keep": ["legal"]} | changed
    )


def test_each_kind_of_game_has_arrays_no_wider_than_its_own(tmp_path, form):
    mixed(tmp_path, form)
    records = masume.load_records(tmp_path)
    own = {game.name: records.of(game.name) for game in MIX}
    wanted = {"kakomimasu": ("int16", 4, 2), "chaser": ("int16", 1, 2), "terraforming": ("int64", 1, 3)}
    for name, (dtype, slots, seats) in wanted.items():
        mine = own[name]
        assert (mine["actions"].dtype, mine["actions"].shape) == (dtype, (mine.num_plies, slots))
        assert mine["returns"].shape == (mine.num_games, seats)
        assert mine["legal"].shape == (mine.num_plies, slots, -(-CODES[name] // 32))
        assert mine["actions"].min() >= 0  # nothing is filled up
        assert mine.verify() == mine.num_games
        assert {records.games[config].name for config in mine["config"].tolist()} == {name}
        for batch in mine.batches(7, fields=["legal", "actions"]):
            assert batch["legal"].shape[1:] == (slots, CODES[name])
    assert sum(mine.num_games for mine in own.values()) == records.num_games == 11
    assert sum(mine.num_plies for mine in own.values()) == records.num_plies
    for kind in FORMATS[form]:  # chunks of 4 games of 3 kinds: each has all kinds
        assert sorted(path.name for path in (tmp_path / kind).iterdir()) == sorted(wanted)


def test_kinds_of_games_together_are_what_one_file_of_all_holds(tmp_path, form, monkeypatch):
    """Runs of earlier versions, which wrote one file for all kinds, read the same."""
    mixed(tmp_path / "own", form, replays=6)
    with monkeypatch.context() as patched:
        patched.setattr("masume.play.run.kinds_of", lambda *_: {})
        mixed(tmp_path / "together", form, replays=6)
    own, together = masume.load_records(tmp_path / "own"), masume.load_records(tmp_path / "together")
    assert own.fields == together.fields
    for name, array in together.items():
        assert own[name].dtype == array.dtype
        np.testing.assert_array_equal(own[name], array)
    assert own["actions"].shape[1] == 4
    assert own.verify() == together.verify() == 11
    (games, plies), (games_together, plies_together) = own.to_arrow(), together.to_arrow()
    assert plies.equals(plies_together)
    assert games.drop(["returns"]).equals(games_together.drop(["returns"]))  # which have NaN
    files = [sorted((tmp_path / name / "replays").iterdir()) for name in ("own", "together")]
    assert [path.read_bytes() for path in files[0]] == [path.read_bytes() for path in files[1]]
    with pytest.raises(masume.ReplayError, match="chaser has no files of its own"):
        together.of("chaser")
    with pytest.raises(masume.ConfigError, match="other kinds"):
        mixed(tmp_path / "together", form, replays=6)


def test_a_chunk_may_lack_a_kind_of_game(tmp_path, form):
    mixed(tmp_path, form, chunk=2, num_games=5)
    records = masume.load_records(tmp_path)
    assert records["game"].tolist() == [0, 1, 2, 3, 4]
    assert records.verify() == 5
    assert records.of("terraforming")["game"].tolist() == [2]
    assert records.of("chaser").verify() == 2


def test_the_games_of_a_run_are_named(runs, form, tmp_path):
    alone = thinking(runs, form)
    np.testing.assert_array_equal(alone.of("kakomimasu")["actions"], alone["actions"])
    with pytest.raises(masume.ConfigError, match="game: expected one of kakomimasu, got 'chaser'"):
        alone.of("chaser")
    mixed(tmp_path, form, num_games=3)
    with pytest.raises(masume.ConfigError, match="game: expected one of chaser, got 'kakomimasu'"):
        masume.load_records(tmp_path).of("chaser").of("kakomimasu")


def test_thoughts_of_kinds_of_games_are_joined(tmp_path, form):
    run(tmp_path, form, MIX, ("py:players:Thinker", "random"), num_games=9, chunk=4)
    records = masume.load_records(tmp_path)
    assert records.verify() == 9
    whole = np.concatenate([batch["policy"] for batch in records.batches(1000)])
    of_game = np.array([game.name for game in MIX])[records["config"]]
    for game in MIX:
        mine = np.concatenate([batch["policy"] for batch in records.of(game.name).batches(1000)])
        rows = np.repeat(of_game == game.name, records["length"])
        np.testing.assert_array_equal(whole[rows][:, : game.num_slots, : game.num_actions], mine)
        assert mine.any()
        assert whole[rows].sum() == mine.sum()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (
            ["parameters", "kinds", "../x"],
            {"num_actions": 1, "fields": {}},
            "kinds: expected names of games, got '../x'",
        ),
        (["parameters", "kinds", "chaser", "num_actions"], 0, r"kinds\.chaser\.num_actions: expected a number from 1"),
        (["parameters", "kinds", "chaser", "fields"], {}, "fields.game: missing"),
        (["parameters", "kinds"], 5, "kinds: expected an object, got 5"),
    ],
)
def test_damaged_kinds_are_named(path, value, message, tmp_path):
    mixed(tmp_path, "npz", num_games=3)
    *parents, key = path
    lines = sealed.read_lines(tmp_path / "manifest.jsonl")
    functools.reduce(operator.getitem, parents, lines[0])[key] = value
    sealed.write_lines(tmp_path / "manifest.jsonl", lines)
    with pytest.raises(masume.ReplayError, match=message):
        masume.load_records(tmp_path)


def test_a_kind_without_its_file_is_named(tmp_path):
    mixed(tmp_path, "npz", num_games=3)
    lines = sealed.read_lines(tmp_path / "manifest.jsonl")
    del lines[1]["files"]["records/chaser"]
    sealed.write_lines(tmp_path / "manifest.jsonl", lines)
    with pytest.raises(masume.ReplayError, match=r"chunk 0: files\.records/chaser: missing"):
        masume.load_records(tmp_path)
    lines[1]["tallies"] = {"nezumi": lines[1]["tallies"]["chaser"]}
    sealed.write_lines(tmp_path / "manifest.jsonl", lines)
    with pytest.raises(masume.ReplayError, match=r"chunk 0: tallies\.nezumi: none of the kinds"):
        masume.load_records(tmp_path)
