"""The server over loopback, byte by byte, with raw sockets: sections 14.1 to 14.8 of the rules."""

import asyncio
import contextlib
import socket
import struct
import threading
import time
from typing import ClassVar

import pytest

import masume
from masume.chaser.notation import CODES
from masume.chaser.server import Server, Settings
from masume.errors import ConfigError, ConfigTypeError, MatchError
from masume.referee.match import Blame

MEADOW = "T:2\nD:0,0,0,0\nD:0,0,3,0\nD:0,0,0,0\nC:1,1\nH:3,2"  # `....` / `.C*.` / `...H`, the item east of COOL
DRAW = b"0000003000\r\n"
WAITED, NEVER = 1, 60  # time-outs in seconds: one that a test waits for, and one that must not happen


class Table:
    """A server in a thread that plays consecutive games."""

    def __init__(self, text=MEADOW, agents=(None, None), num_games=1, swap=False, **settings):
        self.said, self.records, self.error = [], [], None
        game = masume.load("chaser", map=text)
        told = {"cool_port": 0, "hot_port": 0, "timeout_s": NEVER, **settings}
        self.server = Server(game, Settings(**told), agents, self.said.append)
        self.server.listen()
        self.ports = self.server.ports
        self._games, self._swap = num_games, swap
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        async def all_games():
            for k in range(self._games):
                self.records.append(await self.server.play(0, self._swap and k % 2 == 1))

        try:
            asyncio.run(all_games())
        except Exception as error:
            self.error = error

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.join()

    def join(self):
        self._thread.join(30)
        assert not self._thread.is_alive()

    @property
    def record(self):
        """Record of the only game; waits for its end."""
        self.join()
        assert self.error is None, self.error
        (record,) = self.records
        record.replay.to_lines()
        return record

    def verdict(self):
        """Return (winner or None, reason) of the only game."""
        replay = self.record.replay
        return (replay.returns.index(1.0) if 1.0 in replay.returns else None), replay.reason


class Client:
    """A raw socket without a protocol."""

    open: ClassVar[list] = []

    def __init__(self, port, name=b"c\r\n"):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.open.append(self.socket)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.got = b""
        if name:
            self.send(name)

    def send(self, data):
        self.socket.sendall(data)

    def read(self, count):
        """Return the next `count` bytes."""
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            assert part, f"the end after {self.got + data!r}"
            data += part
        self.got += data
        return data

    def rest(self):
        """Return all bytes up to the end of the stream."""
        with contextlib.suppress(ConnectionResetError):
            while part := self.socket.recv(4096):
                self.got += part
        self.socket.close()
        return self.got

    def turn(self, method=b"lu"):
        """Play a whole turn; return its two infos."""
        assert self.read(3) == b"@\r\n"
        self.send(b"gr\r\n")
        ready = self.read(12)
        self.send(method + b"\r\n")
        told = self.read(12)
        if told[:1] == b"1":
            self.send(b"#\r\n")
        return ready, told

    def last(self):
        """Answer the last @; return the info."""
        assert self.read(3) == b"@\r\n"
        self.send(b"gr\r\n")
        return self.read(12)

    def reset(self):
        """Close the connection with a TCP reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


@pytest.fixture(autouse=True)
def closed_sockets():
    yield
    while Client.open:
        Client.open.pop().close()


def take_seats(table):
    """Return COOL and HOT, connected and with their names sent."""
    return Client(table.ports[0], b"cool\r\n"), Client(table.ports[1], b"hot\r\n")


def quiet(client):
    """Play `lu` in every turn to the end; return the last bytes."""
    client.socket.settimeout(20)
    while client.read(3) == b"@\r\n":
        client.send(b"gr\r\n")
        if client.read(12)[:1] == b"0":
            break
        client.send(b"lu\r\n")
        told = client.read(12)
        client.send(b"#\r\n")
        if told[:1] == b"0":
            break
    return client.rest()


def in_background(function, *arguments):
    thread = threading.Thread(target=function, args=arguments, daemon=True)
    thread.start()
    return thread


# -- whole games -------------------------------------------------------------------------------


def test_ch_49_the_session_of_14_7_byte_for_byte():
    """Each turn is @, gr, ten digits, a method, ten digits, #; at the end each player gets one info with 0.

    [CH-39] [CH-41] [CH-42] [CH-43] [CH-44] [CH-45] [CH-46] [CH-47] [CH-48] [CH-49] [CH-R26] [CH-R27]
    """
    with Table(timeout_s=WAITED) as table:
        cool, hot = take_seats(table)
        told = []
        told.append(cool.turn(b"wr"))
        told.append(hot.turn(b"wu"))
        told.append(cool.turn(b"sd"))
        told.append(hot.turn(b"wu"))
        told.append(cool.last())
        assert told == [
            (b"1000003000\r\n", b"1000200001\r\n"),
            (b"1102002222\r\n", b"1002102002\r\n"),
            (b"1000201000\r\n", b"1022222222\r\n"),
            (b"1002102002\r\n", b"0222002102\r\n"),
            b"0001200000\r\n",
        ]
        assert cool.rest()[-12:] == b"0001200000\r\n"
        assert hot.rest()[-12:] == b"0222002102\r\n"
    assert table.verdict() == (0, "SCORE")
    assert table.record.replay.names == ["cool", "hot"]
    assert table.record.replay.moves == [CODES.index(code) for code in ("wr", "wu", "sd", "wu")]
    assert all(ms > 0 for ms in table.record.replay.ms)
    assert table.record.faults == []


def test_t1_both_quiet_is_a_draw():
    with Table() as table:
        cool, hot = take_seats(table)
        background = in_background(quiet, hot)
        assert quiet(cool)[-12:] == DRAW
        background.join(20)
        assert hot.got[-12:] == b"0222002302\r\n"
    assert table.verdict() == (None, "SCORE")


def test_each_message_is_one_segment():
    """[CH-44] Some clients treat the result of one receive as one message. [section 14.8]"""
    with Table() as table:
        cool, hot = take_seats(table)
        background = in_background(quiet, hot)
        for _ in range(2):
            assert cool.socket.recv(4096) == b"@\r\n"
            cool.send(b"gr\r\n")
            assert len(cool.socket.recv(4096)) == 12
            cool.send(b"lu\r\n")
            assert len(cool.socket.recv(4096)) == 12
            cool.send(b"#\r\n")
        assert cool.socket.recv(4096) == b"@\r\n"
        cool.send(b"gr\r\n")
        assert cool.socket.recv(4096) == DRAW
        assert cool.socket.recv(4096) == b""
        background.join(20)


# -- violations ----------------------------------------------------------------------------------


FOULS = {  # COOL's messages after its first @; those before the violation are correct
    "t2 gr again": [b"gr\r\n", b"gr\r\n"],
    "t3 a word": [b"gr\r\n", b"jump\r\n"],
    "t4 upper case": [b"gr\r\n", b"WU\r\n"],
    "t5 a method before gr": [b"wu\r\n"],
    "t6 silence": [],
    "t8 gr in place of the end mark": [b"gr\r\n", b"lu\r\n", b"gr\r\n"],
    "t9 no end mark": [b"gr\r\n", b"lu\r\n"],
    "t13 ten blank lines": [b"\r\n" * 10 + b"gr\r\n"],
    "t13 ten blank lines of LF": [b"\n" * 10 + b"gr\n"],
    "t14 gr without LF": [b"gr\r"],
    "t15 65 bytes without LF": [b"g" * 65],
    "a line of 65 bytes": [b"\r" * 63 + b"gr\n"],
    "64 bytes and no LF": [b"g" * 64],
    "a line of 64 bytes": [b"g" * 63 + b"\r\n"],
    "a megabyte of a line": [b"g" * 2**20 + b"\r\n"],
    "a megabyte without LF": [b"\x00" * 2**20],
    "half a line": [b"g"],
    "binary junk": [bytes(range(256))],
    "zeros": [b"\x00\x00\r\n"],
    "a trailing blank": [b"gr\r\n", b"lu \r\n"],
    "one letter": [b"gr\r\n", b"l\r\n"],
    "three letters": [b"gr\r\n", b"luu\r\n"],
    "a blank in place of the end mark": [b"gr\r\n", b"lu\r\n", b" \r\n"],
    "two end marks in one": [b"gr\r\n", b"lu\r\n", b"##\r\n"],
    "not UTF-8": [b"gr\r\n", b"\x82\xa0\r\n"],
    "gr with more": [b"gr \r\n"],
    "a CR inside": [b"g\rr\r\n"],
}

LATE = {"t6 silence", "t9 no end mark", "t14 gr without LF", "half a line", "64 bytes and no LF"}


@pytest.mark.parametrize("name", FOULS)
def test_ch_r24_whoever_breaks_the_protocol_has_lost(name):
    """[CH-20] [CH-R24] [CH-R25] [CH-R34] The method is not executed, unless it came before the violation."""
    with Table(timeout_s=WAITED if name in LATE else NEVER) as table:
        cool, hot = take_seats(table)
        assert cool.read(3) == b"@\r\n"
        for n, data in enumerate(FOULS[name]):
            with contextlib.suppress(ConnectionError):
                cool.send(data)
            if data in (b"gr\r\n", b"lu\r\n") and n < 2:
                told = cool.read(12)
                if told[:1] == b"0":
                    break
        assert hot.last() == b"0302002222\r\n"
        assert hot.rest()[-12:] == b"0302002222\r\n"
        assert cool.rest()[-12:] == DRAW
        assert cool.got.count(b"\r\n0") == 1
    assert table.verdict() == (1, "FOUL")
    (blame,) = table.record.faults
    assert (blame.player, blame.cause) == (0, "timeout" if name in LATE else "protocol")
    assert len(table.record.replay.moves) == 1 + (blame.ply == 1)
    assert blame.ply == (name.startswith(("t8", "t9")) or "end mark" in name)


def test_t7_a_client_that_closes_has_lost():
    for close in ("close", "reset"):
        with Table() as table:
            cool, hot = take_seats(table)
            assert cool.read(3) == b"@\r\n"
            if close == "close":
                cool.socket.close()
            else:
                cool.reset()
            assert hot.last() == b"0302002222\r\n"
            hot.rest()
        assert table.verdict() == (1, "FOUL")
        assert table.record.faults[0].cause == "closed"


def test_a_client_that_closes_only_its_own_half_is_told_that_it_lost():
    with Table() as table:
        cool, hot = take_seats(table)
        assert cool.read(3) == b"@\r\n"
        cool.socket.shutdown(socket.SHUT_WR)
        assert hot.last() == b"0302002222\r\n"
        hot.rest()
        assert cool.rest()[-12:] == DRAW
    assert table.verdict() == (1, "FOUL")


def test_queued_lines_are_used_although_the_client_has_closed():
    """The end of the stream counts only if no complete line is queued. [section 14.6]"""
    with Table() as table:
        cool, hot = take_seats(table)
        assert cool.read(3) == b"@\r\n"
        cool.send(b"gr\r\nlu\r\n#\r\ngr\r\nlu\r\n#\r\ngr\r\n")
        cool.socket.shutdown(socket.SHUT_WR)
        assert quiet(hot)[-12:] == b"0222002302\r\n"
        assert cool.rest()[-12:] == DRAW
    assert table.verdict() == (None, "SCORE")


GOOD = {
    "t10 LF only": (b"gr\n", b"lu\n", b"#\n"),
    "many CRs": (b"gr\r\r\n", b"lu\r\r\r\n", b"#" + b"\r" * 63 + b"\n"),
    "t12 nine blank lines": (b"\r\n" * 9 + b"gr\r\n", b"\n" * 9 + b"lu\r\n", b"\n\r\n" * 4 + b"\n#\r\n"),
}


@pytest.mark.parametrize("name", GOOD)
def test_ch_r30_what_is_let_pass(name):
    """CH-R30"""
    ready, method, end = GOOD[name]
    with Table() as table:
        cool, hot = take_seats(table)
        background = in_background(quiet, hot)
        for _ in range(2):
            assert cool.read(3) == b"@\r\n"
            cool.send(ready)
            cool.read(12)
            cool.send(method)
            cool.read(12)
            cool.send(end)
        assert cool.last() == DRAW
        cool.rest()
        background.join(20)
    assert table.verdict() == (None, "SCORE")


def test_a_line_may_come_byte_by_byte():
    with Table(timeout_s=2) as table:
        cool, hot = take_seats(table)
        background = in_background(quiet, hot)
        for _ in range(2):
            assert cool.read(3) == b"@\r\n"
            for data in (b"gr\r\n", b"lu\r\n", b"#\r\n"):
                for n in range(len(data)):
                    cool.send(data[n : n + 1])
                    time.sleep(0.005)
                if data != b"#\r\n":
                    cool.read(12)
        assert cool.last() == DRAW
        cool.rest()
        background.join(20)
    assert table.verdict() == (None, "SCORE")


def test_t11_what_is_sent_ahead_waits_for_its_step():
    with Table() as table:
        cool, hot = take_seats(table)
        background = in_background(quiet, hot)
        assert cool.read(3) == b"@\r\n"
        cool.send(b"gr\r\nlu\r\n#\r\ngr\r\nlu\r\n#\r\n")
        cool.read(12 + 12 + 3 + 12 + 12)
        assert cool.last() == DRAW
        cool.rest()
        background.join(20)
    assert table.verdict() == (None, "SCORE")


def test_the_timeout_runs_from_the_servers_send_and_blank_lines_do_not_extend_it():
    with Table(timeout_s=0.5) as table:
        cool, hot = take_seats(table)
        assert cool.read(3) == b"@\r\n"
        started = time.monotonic()
        for _ in range(4):
            time.sleep(0.1)
            cool.send(b"\r\n")
        assert hot.read(3) == b"@\r\n"
        assert time.monotonic() - started >= 0.45
        assert table.said[-1].startswith("HOT:")
        hot.send(b"gr\r\n")
        assert hot.read(12) == b"0302002222\r\n"
        hot.rest()
        cool.rest()
    assert table.record.faults[0].cause == "timeout"


def test_t21_strict_crlf():
    """[CH-R30] With strict_crlf a bare LF is a foul, also on a blank line."""
    for data in (b"gr\n", b"\n", b"\r\n\ngr\r\n"):
        with Table(strict_crlf=True) as table:
            cool, hot = take_seats(table)
            assert cool.read(3) == b"@\r\n"
            cool.send(data)
            assert hot.last() == b"0302002222\r\n"
            hot.rest()
            cool.rest()
        assert table.verdict() == (1, "FOUL")
    with Table(strict_crlf=True) as table:
        cool, hot = take_seats(table)
        background = in_background(quiet, hot)
        assert quiet(cool)[-12:] == DRAW
        background.join(20)


# -- the waiting player --------------------------------------------------------------------------


def test_t16_a_waiting_player_who_closes_loses_in_its_own_turn():
    """[CH-R28]"""
    for close in ("close", "reset"):
        with Table() as table:
            cool, hot = take_seats(table)
            assert cool.read(3) == b"@\r\n"
            if close == "close":
                hot.socket.close()
            else:
                hot.reset()
            time.sleep(0.05)
            cool.send(b"gr\r\n")
            cool.read(12)
            cool.send(b"lu\r\n")
            assert cool.read(12) == b"1222222000\r\n"
            cool.send(b"#\r\n")
            assert cool.last() == DRAW
            cool.rest()
        assert table.verdict() == (0, "FOUL")
        assert len(table.record.replay.moves) == 2


def test_t17_unless_the_game_is_decided_before():
    with Table("T:2\nD:0,0,0,0\nD:0,0,3,0\nD:0,2,0,0\nC:1,1\nH:3,2") as table:
        cool, hot = take_seats(table)
        assert cool.read(3) == b"@\r\n"
        hot.socket.close()
        cool.send(b"gr\r\n")
        cool.read(12)
        cool.send(b"wd\r\n")
        assert cool.read(12)[:1] == b"0"
        cool.send(b"#\r\n")
        cool.rest()
    assert table.verdict() == (1, "COLLISION")
    assert table.record.faults == []


def test_a_waiting_player_may_send_whatever_it_likes():
    """[CH-R28] Nothing happens at once; its own turn begins with the queued lines."""
    with Table() as table:
        cool, hot = take_seats(table)
        hot.send(b"lu\r\n")
        cool.turn()
        assert cool.last() == DRAW
        cool.rest()
        hot.rest()
    assert table.verdict() == (0, "FOUL")
    assert table.record.faults == [Blame(1, 1, "protocol", "expected gr, got 'lu'")]


def test_a_waiting_player_who_floods_stops_nobody():
    with Table() as table:
        cool, hot = take_seats(table)
        hot.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            for _ in range(64):
                hot.socket.send(b"gr\r\nlu\r\n#\r\n" * 90_000)
        hot.socket.setblocking(True)
        hot.socket.settimeout(20)
        background = in_background(quiet, cool)
        hot.rest()
        background.join(20)
    assert table.verdict() == (None, "SCORE")  # its queue was a correct game


# -- the end -------------------------------------------------------------------------------------


def test_t18_what_is_sent_after_the_end_is_ignored():
    """[CH-R34] [CH-R10]"""
    for after in (b"oops\r\n", b"", b"\n" * 20, b"x" * 70, b"x" * 2**20):
        with Table("T:2\nD:0,0,0,0\nD:0,0,0,0\nC:0,0\nH:3,0", timeout_s=NEVER if after.strip() else WAITED) as table:
            cool, hot = take_seats(table)
            assert cool.read(3) == b"@\r\n"
            cool.send(b"gr\r\n")
            cool.read(12)
            cool.send(b"wu\r\n")
            assert cool.read(12) == b"0222222200\r\n"
            with contextlib.suppress(ConnectionError):
                cool.send(after)
            assert hot.last()[:1] == b"0"
            hot.rest()
            assert cool.rest()[-12:] == b"0222222200\r\n"
        assert table.verdict() == (1, "COLLISION")
        assert table.record.faults == []


@pytest.mark.parametrize("answer", [b"", b"\r\n" * 10, b"x" * 70, b"lu\r\n", None])
def test_t22_whatever_the_last_turn_is_answered_the_end_is_told(answer):
    """[CH-48] [CH-R27]"""
    with Table(timeout_s=NEVER if answer is None else WAITED) as table:
        cool, hot = take_seats(table)
        background = in_background(quiet, hot)
        cool.turn()
        cool.turn()
        assert cool.read(3) == b"@\r\n"
        if answer is None:
            cool.socket.shutdown(socket.SHUT_WR)
        else:
            cool.send(answer)
        assert cool.rest()[-12:] == DRAW
        background.join(20)
        assert hot.got[-12:] == b"0222002302\r\n"
    assert table.verdict() == (None, "SCORE")


def test_nothing_is_sent_after_the_end_and_the_connection_is_closed_in_time():
    """A client that never closes is disconnected after 1 s. [section 14.5]"""
    with Table() as table:
        cool, hot = take_seats(table)
        background = in_background(quiet, hot)
        cool.turn()
        cool.turn()
        assert cool.last() == DRAW
        started = time.monotonic()
        background.join(20)
        table.join()
        assert 0.5 <= time.monotonic() - started <= 10
        assert cool.socket.recv(100) == b""
        cool.socket.close()


# -- names and ports -----------------------------------------------------------------------------


NAMES = {
    bytes.fromhex("82a082a00d"): "ああ",  # T19: CP932, five bytes, no LF [section 14.8]
    b"\r\n": "COOL",  # T20
    b"\n": "COOL",
    b"abcdefg\r\n": "abcd",
    b"abc\n": "abc",
    b"abc": "abc",
    "チーム太郎\r\n".encode(): "チーム太",
    b"a\x00\x1b[31mb\r\n": "a[31",
    b" a b c\r\n": " a b",
    "\u3000\u200fab\ue000\r\n".encode(): "ab",
    b"\xff\xfe\xfd\r\n": "COOL",  # private use in CP932
    b"a\x81\r\n": "a\ufffd",
    b"\r\r\r\n": "COOL",
}


@pytest.mark.parametrize("sent", NAMES)
def test_ch_r29_names(sent):
    """CH-R29 CH-41 T19 T20: names of teams are read and shown by these rules."""
    with Table() as table:
        cool = Client(table.ports[0], sent)
        hot = Client(table.ports[1])
        background = in_background(quiet, hot)
        quiet(cool)
        background.join(20)
    assert table.record.replay.names == [NAMES[sent], "c"]


def test_a_name_ends_after_1024_bytes_and_the_rest_stays_queued():
    with Table(name_max_chars=None) as table:
        cool = Client(table.ports[0], b"a" * 1024 + b"gr\r\nlu\r\n#\r\n")
        hot = Client(table.ports[1])
        background = in_background(quiet, hot)
        assert cool.read(3 + 12 + 12) == b"@\r\n1000003000\r\n1222222000\r\n"
        cool.turn()
        assert cool.last() == DRAW
        cool.rest()
        background.join(20)
    assert table.record.replay.names == ["a" * 1024, "c"]


def test_a_late_line_end_of_a_name_is_a_blank_line():
    with Table(timeout_s=2) as table:
        cool = Client(table.ports[0], b"slow")
        hot = Client(table.ports[1])
        background = in_background(quiet, hot)
        assert cool.read(3) == b"@\r\n"
        cool.send(b"\r\ngr\r\nlu\r\n#\r\n")
        cool.read(24)
        cool.turn()
        assert cool.last() == DRAW
        cool.rest()
        background.join(20)
    assert table.record.replay.names == ["slow", "c"]


def test_ch_39_the_port_decides_the_side_whoever_comes_first():
    """[CH-39] [CH-40] [CH-R2]"""
    with Table() as table:
        hot = Client(table.ports[1], b"first\r\n")
        cool = Client(table.ports[0], b"last\r\n")
        background = in_background(quiet, hot)
        quiet(cool)
        background.join(20)
    assert table.record.replay.names == ["last", "firs"]
    assert any(f"({'first'}) from 127.0.0.1:" in line for line in table.said)


def test_what_is_not_said():
    """[CH-R31] [CH-R33] The defaults are ports 2009 and 2010 and five seconds per line."""
    assert (Settings().cool_port, Settings().hot_port) == (2009, 2010)
    assert (Settings().timeout_s, Settings().connect_timeout_s, Settings().strict_crlf) == (5.0, None, False)


def test_ch_r33_a_second_client_on_a_port_is_refused():
    """CH-R33"""
    with Table() as table:
        cool, hot = take_seats(table)
        assert cool.read(3) == b"@\r\n"
        for port in table.ports:
            with pytest.raises(ConnectionRefusedError):
                Client(port)
        background = in_background(quiet, hot)
        cool.send(b"gr\r\n")
        cool.read(12)
        cool.send(b"lu\r\n")
        cool.read(12)
        cool.send(b"#\r\n")
        cool.turn()
        cool.last()
        cool.rest()
        background.join(20)
    assert table.verdict() == (None, "SCORE")


@pytest.mark.parametrize("leaves", ["before its name", "after its name", "in its name", "silent", "reset"])
def test_a_client_that_leaves_before_the_game_makes_room_for_another(leaves):
    """[section 14.1] The port listens again with the same number."""
    with Table(timeout_s=WAITED if leaves == "silent" else NEVER) as table:
        first = Client(table.ports[0], {"after its name": b"gone\r\n", "in its name": b"go"}.get(leaves, b""))
        time.sleep(0.05)
        if leaves == "reset":
            first.reset()
        elif leaves == "silent":
            assert first.rest() == b""
        else:
            first.socket.close()
        deadline = time.monotonic() + 20
        while True:
            assert time.monotonic() < deadline
            try:
                cool = Client(table.ports[0], b"here\r\n")
                break
            except ConnectionRefusedError:
                time.sleep(0.01)
        hot = Client(table.ports[1])
        background = in_background(quiet, hot)
        quiet(cool)
        background.join(20)
    assert table.record.replay.names == ["here", "c"]
    assert any(line.startswith("COOL: ") and "left" in line for line in table.said)


def test_ch_r33_a_match_without_two_clients_has_no_result():
    """CH-R33"""
    with Table(connect_timeout_s=0.2) as table:
        client = Client(table.ports[0], b"alone\r\n")
        assert client.rest() == b""
    assert isinstance(table.error, MatchError)
    assert str(table.error) == "no HOT after 0.2 s: no result"
    with pytest.raises(ConnectionRefusedError):
        Client(table.ports[1])


# -- agents, several games -----------------------------------------------------------------------


def test_an_agent_takes_the_side_of_its_port():
    with Table(agents=(None, "greedy")) as table:
        cool = Client(table.ports[0], b"me\r\n")
        quiet(cool)
    assert table.record.replay.names == ["me", "greedy"]
    with Table(agents=("random", "greedy")) as table:
        pass
    assert table.record.replay.names == ["random", "greedy"]


def test_sides_change_with_every_game():
    with Table(num_games=3, swap=True, agents=(None, "random")) as table:
        for _ in range(3):
            deadline = time.monotonic() + 20
            while True:
                assert time.monotonic() < deadline
                try:
                    client = Client(table.ports[0], b"me\r\n")
                    break
                except ConnectionRefusedError:
                    time.sleep(0.01)
            quiet(client)
    assert [record.replay.names for record in table.records] == [["me", "random"], ["random", "me"], ["me", "random"]]


# -- settings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "kind", "message"),
    [
        ({"cool_port": 65536}, ConfigError, "cool_port: expected 0..65535, got 65536"),
        ({"hot_port": True}, ConfigTypeError, "hot_port: expected an int, got True"),
        ({"hot_port": 2009}, ConfigError, "hot_port: 2009 is the cool_port"),
        ({"host": None}, ConfigTypeError, "host: expected a string, got None"),
        ({"timeout_s": 0.01}, ConfigError, "timeout_s: expected 0.05..600, got 0.01"),
        ({"timeout_s": float("nan")}, ConfigError, "timeout_s: expected 0.05..600, got nan"),
        ({"timeout_s": "5"}, ConfigTypeError, "timeout_s: expected a number, got '5'"),
        ({"connect_timeout_s": 0}, ConfigError, "connect_timeout_s: expected"),
        ({"connect_timeout_s": True}, ConfigTypeError, "connect_timeout_s: expected a number, got True"),
        ({"name_max_chars": 0}, ConfigError, "name_max_chars: expected 1..1024, got 0"),
        ({"strict_crlf": 1}, ConfigTypeError, "strict_crlf: expected True or False, got 1"),
    ],
)
def test_settings_are_checked(fields, kind, message):
    with pytest.raises(kind) as caught:
        Settings(**fields)
    assert str(caught.value).startswith(message)


def test_a_port_that_is_taken_is_an_error_that_names_it():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        server = Server(masume.load("chaser"), Settings(cool_port=0, hot_port=number))
        with pytest.raises(ConfigError, match=rf"^hot_port: 127\.0\.0\.1:{number}: "):
            server.listen()
        with pytest.raises(ConfigError, match=r"^agents: unknown agent 'deep' \(known:"):
            Server(masume.load("chaser"), Settings(), ("deep", None))


def test_a_person_at_the_terminal_has_the_time_of_a_line(monkeypatch):  # CH-R31
    asked = threading.Event()

    class Absent(masume.Agent):
        name = "human"

        def act(self, _view):
            asked.wait(NEVER)
            return 0

    monkeypatch.setattr("masume.chaser.server.make_agent", lambda *_: Absent())
    with Table(agents=("human", None), timeout_s=WAITED) as table:
        client = Client(table.ports[1])
        turn, last, end = client.rest().split(b"\r\n")
        assert (turn, last[:1], end) == (b"@", b"0", b"")  # its game is over [CH-48]
    asked.set()
    assert table.verdict() == (1, "FOUL")
    (fault,) = table.record.faults
    assert (fault.player, fault.cause, fault.detail) == (0, "timeout", "no action after 1 s")
