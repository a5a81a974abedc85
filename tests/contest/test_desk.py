"""The desk as pages use it: one answer for each order, nothing twice, nothing that was not seen."""

import asyncio
from pathlib import Path

import pytest

from masume.contest import words
from masume.contest.desk import Desk, Refused
from masume.contest.events import StageDrawn
from masume.contest.kept import Contest
from masume.contest.orders import (
    Attend,
    Automate,
    Confirm,
    Decide,
    Draw,
    Enter,
    HandIn,
    Pause,
    Prepare,
    Replay,
    ShowScreen,
    Start,
    Stop,
    Undo,
)
from masume.core.language import speaking

BOT = Path(__file__).parent.parent / "json_bot.py"


def make(folder, kind="league", agents=("greedy", "greedy", "random"), head="", maps='["duel", "rooms"]'):
    folder.mkdir()
    entries = "".join(f'[[entry]]\nname = "{name}"\nplay = "{play}"\n' for name, play in zip("ABCDEFGH", agents))  # noqa: B905
    (folder / "contest.toml").write_text(f'game = "chaser"\nformat = "{kind}"\nmaps = {maps}\n{head}\n{entries}')
    return Desk(Contest(folder), lambda _line: None)


def take(desk, *given):
    """Let a page give orders one after the other, each having seen what there is; return the last answer."""

    async def go():
        answer = None
        for order in given:
            answer = await desk.take(order, desk.stamp)
            if desk._lasting is not None and not desk._lasting.done():
                await asyncio.wait([desk._lasting])
        return answer

    return asyncio.run(go())


def refusal(desk, *given):
    with pytest.raises(Refused) as found:
        take(desk, *given)
    return str(found.value)


def match_of(desk, name):
    return next(one for stage in words.to_dict(desk.state)["stages"] for one in stage["matches"] if one["id"] == name)


def test_two_desks_confirm_one_result_once(tmp_path):
    desk = make(tmp_path / "cup")
    take(desk, Draw(), Start())

    async def both():
        seen = desk.stamp
        return await asyncio.gather(desk.take(Confirm(), seen), desk.take(Confirm(), seen), return_exceptions=True)

    first, second = asyncio.run(both())
    assert first == {"said": []}
    assert isinstance(second, Refused)
    assert len(desk.state.confirmed) == 1


def test_an_order_that_saw_an_older_step_is_refused_and_says_what_to_do(tmp_path):
    desk = make(tmp_path / "cup")
    old = desk.stamp
    take(desk, Draw())
    for order in (Draw(), Start(), Prepare("L1:2-3"), Confirm(), Decide(1, "why"), Replay(), Automate()):
        with pytest.raises(Refused, match="look at what comes next"):
            asyncio.run(desk.take(order, old))
    assert len(desk.contest.counting) == 1
    again = Desk(Contest(tmp_path / "cup"), lambda _line: None)  # after a restart
    assert again.stamp == desk.stamp


def test_while_a_match_is_played_only_it_can_be_stopped(tmp_path):
    desk = make(tmp_path / "cup", agents=(f"cmd:python {BOT} hang", "greedy", "random"), head='clock = "move=60000"')
    take(desk, Draw())

    async def go():
        await desk.take(Start("L1:1-2"), desk.stamp)
        for order in (Start(), Confirm(), Attend(3, True), HandIn(1, "greedy"), Enter("late"), Undo(None, (1,))):
            with pytest.raises(Refused, match="a match is played"):
                await desk.take(order, desk.stamp)
        with pytest.raises(Refused, match="nothing was stopped"):
            await desk.take(Stop("L1:1-3"), "")
        await desk.take(ShowScreen("text", "soon"), "")
        assert desk.playing == "L1:1-2"
        await desk.take(Stop("L1:1-2"), "")
        await asyncio.wait([desk._lasting])

    asyncio.run(go())
    assert desk.playing is None
    assert desk.state.played == {}
    assert "nothing of it is kept" in desk.to_dict()["desk"]["trouble"]
    assert desk.to_dict()["screen"] == {"screen": "text", "text": "soon"}
    take(desk, Attend(1, True))
    assert desk.to_dict()["desk"]["trouble"] == ""


def test_autoplay_is_paused_after_its_match(tmp_path):
    desk = make(tmp_path / "cup")

    async def go():
        await desk.take(Automate(), desk.stamp)
        with pytest.raises(Refused, match="stop it first"):
            await desk.take(Attend(1, True), desk.stamp)
        while desk.playing is None:
            await asyncio.sleep(0)
        await desk.take(Pause(), "")
        await asyncio.wait([desk._lasting])

    asyncio.run(go())
    assert [len(attempts) for attempts in desk.state.played.values()] == [1]
    assert not desk.is_auto


def test_what_is_taken_back_is_shown_first_and_must_be_what_goes(tmp_path):
    desk = make(tmp_path / "cup", "single", ("greedy", "random", "greedy", "random"), "[bracket]\nthird = false")
    take(desk, Draw())
    for name in ("K1.1", "K1.2", "final"):
        take(desk, Start(name))
        step = desk.to_dict()
        take(
            desk, Decide(next(iter(match_of(desk, name)["entries"])), "so") if step["phase"] == "result" else Confirm()
        )
    asked = take(desk, Undo("K1.1"))["gone"]
    assert [text for _number, text in asked] == [
        "match K1.1 played", "result of K1.1 confirmed", "match final played", "result of final confirmed",
    ]  # fmt: skip
    assert len(desk.state.confirmed) == 3
    assert "gone on" in refusal(desk, Undo("K1.1", (asked[0][0],)))
    take(desk, Undo("K1.1", tuple(number for number, _text in asked)))
    assert list(desk.state.confirmed) == ["K1.2"]


def test_a_draw_by_hand_fills_the_places_and_one_by_lot_is_the_same_after_it_was_taken_back(tmp_path):
    desk = make(tmp_path / "cup", "groups", ("greedy",) * 6, "[groups]\nnumber = 2")
    assert desk.to_dict()["desk"]["places"] == [("Group A", [0, 3, 4]), ("Group B", [1, 2, 5])]
    assert "each of these entries once: 1 2 3 4 5 6" in refusal(desk, Draw((1, 2, 3, 4, 5, 5)))
    take(desk, Draw((6, 5, 4, 3, 2, 1)))
    assert desk.state.stage.form.dealt == [[6, 3, 2], [5, 4, 1]]
    orders = []
    for _ in range(2):
        last = take(desk, Undo())["gone"]
        take(desk, Undo(None, tuple(number for number, _text in last)), Draw(is_by_lot=True))
        (drawn,) = (one for one in desk.contest.counting.values() if isinstance(one, StageDrawn))
        orders.append(drawn.entries)
    assert orders[0] == orders[1]
    assert sorted(orders[0]) == [1, 2, 3, 4, 5, 6] != orders[0]


def test_the_places_of_a_bracket_have_byes(tmp_path):
    desk = make(tmp_path / "cup", "single", ("greedy",) * 5)
    assert [places for _title, places in desk.to_dict()["desk"]["places"]] == [[0, None], [3, 4], [1, None], [2, None]]
    take(desk, Draw((5, 4, 3, 2, 1)))
    assert desk.state.find("K1.2")[1].entries == (2, 1)


def test_a_tie_is_replayed_on_a_map_that_is_chosen(tmp_path):
    desk = make(tmp_path / "cup", "single", ("greedy", "greedy"), maps='["duel", "rooms", "spiral"]')
    take(desk, Draw(), Start())
    assert desk.state.step().__class__.__name__ == "DecideTie"  # on a symmetric map
    assert "no map of this contest" in refusal(desk, Replay("nowhere"))
    take(desk, Replay("spiral"))
    assert [one.map for one in desk.state.played["final"]] == ["duel", "spiral"]
    assert desk.contest.state.played == Contest(tmp_path / "cup").state.played


def test_a_lot_a_walkover_and_both_out_are_told_apart_and_are_no_draws(tmp_path):
    desk = make(tmp_path / "cup", "single", ("greedy", "greedy", "greedy", "greedy"))
    take(desk, Draw(), Start("K1.1"), Decide(None), Attend(2, True))
    lot, walkover = match_of(desk, "K1.1"), match_of(desk, "K1.2")
    assert (lot["how"], lot["note"]) == ("lot", "lot")
    assert walkover["result"] == "C wins by walkover (B absent)"
    with speaking("ja"):
        assert match_of(desk, "K1.2")["result"] == "C 不戦勝 (B 欠席)"
        assert match_of(desk, "K1.1")["note"] == "くじ"
    league = make(tmp_path / "league", "league", ("greedy", "greedy", "greedy"))
    take(league, Draw(), Start("L1:1-2"), Decide(0, "fight"), Attend(3, True))
    take(league, Attend(2, True))
    found = words.table_rows(league.state, league.state.stage)
    rows = {row["name"]: (row["won"], row["drawn"], row["lost"]) for row in found}
    assert rows == {"A": (1, 0, 1), "B": (0, 0, 2), "C": (0, 0, 2)}
    assert match_of(league, "L1:1-2")["result"].startswith("both out: ")
    assert match_of(league, "L1:2-3")["result"] == "nobody wins (B, C absent)"


def test_a_draw_is_one(tmp_path):
    desk = make(tmp_path / "cup", "league", ("greedy", "greedy"))
    take(desk, Draw(), Start(), Confirm())
    found = match_of(desk, "L1:1-2")
    assert (found["how"], found["leader"]) == ("draw", 0)
    assert [row["drawn"] for row in words.table_rows(desk.state, desk.state.stage)] == [1, 1]


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (Attend(1, False), "A is here"), (Attend(9, True), "9: no entry has this number"),
        (Enter(" ", ""), "needs a name"), (Enter("D", "nobody"), "agents: "), (HandIn(9, ""), "9: no entry"),
        (ShowScreen("text", " "), "write one"), (ShowScreen("text", "x" * 201), "more than 200 letters"),
        (Start("L1:8-9"), "cannot be played now"), (HandIn(1, f"cmd:python {BOT}"), "nothing was handed in"),
        (Undo(), "nothing to take back"),
    ],
)  # fmt: skip
def test_a_refusal_says_why(order, words, tmp_path):
    desk = make(tmp_path / "cup")
    assert words in refusal(desk, order)
    assert not desk.contest.counting
    assert not desk._turn.locked()


def test_news_are_told_in_the_language_of_each_page(tmp_path):
    desk = make(tmp_path / "cup")
    take(desk, Draw(), Attend(3, True))
    told = {}
    for name in ("en", "ja"):
        with speaking(name):
            told[name] = desk.to_dict()["desk"]["news"][-1]
    assert told["en"] == "C is absent: its other matches are walkovers"
    assert told["ja"] == "C は欠席です。残りの試合は不戦敗になります"


def test_a_step_that_the_disk_does_not_take_has_not_happened_and_can_be_pressed_again(tmp_path, monkeypatch):
    desk = make(tmp_path / "cup")

    def add(_event, _at):
        raise OSError(28, "No space left on device", "journal.jsonl")

    monkeypatch.setattr(desk.contest.journal, "add", add)
    seen = desk.stamp
    assert "do it again when it can be written" in refusal(desk, Draw())
    monkeypatch.undo()
    assert desk.stamp == seen
    take(desk, Draw())
    assert desk.state.stage is not None
