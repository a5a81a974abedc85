"""The visitor of a page: half a game of each kind, another device, a day later, while the host restarts the page."""

import signal

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from visitors import Browser, Player, first_step, last_step, question, serve_page

SEATS = {
    "battleship": ["me", "random"],
    "chaser": ["random", "me"],
    "kakomimasu": ["me", "random"],
    "nezumi": ["random", "me"],  # the mice
    "terraforming": ["random", "me", "random"],
}
STEPS = {"chaser": last_step}  # a walk might end the match
TURNS = 6  # half a game on a phone


def test_half_a_game_of_each_kind_then_a_restart_then_the_other_half(person):
    running = serve_page(person, "--out", "games")
    port = running.port
    phone = Browser(running)
    assert b"masume" in phone.ask("GET", "/")[2]
    assert phone.get("/api/lobby")["all"] == len(SEATS)  # a good game of each to look at

    played = {}
    for game, seats in SEATS.items():
        assert phone.get(f"/api/offer/{game}")["help"]
        match = phone.post("/api/play", {"game": game, "seats": seats, "seed": 11, "name": "Mio"})["id"]
        played[game] = Player(phone, match)
        played[game].play(TURNS, STEPS.get(game, first_step))
    seen = {game: one.look() for game, one in played.items()}

    # what is refused is said in the visitor's language, and the match stays as it was
    phone.headers["Accept-Language"] = "ja-JP,ja;q=0.9"
    ask = question(phone, played["chaser"].match)
    path = f"/api/m/{played['chaser'].match}"
    told = phone.post(f"{path}/draft", {"ask": ask["id"], "steps": [["do", 0, ask["legal"][0].get("base", 0)]]}, 422)
    assert told["text"] == "このゲームでは選ぶとすぐに着手になり、取り消せません"
    told = phone.post(f"{path}/act", {"ask": ask["id"] - 1, "nonce": "again", "steps": []}, 409)
    assert told["text"] == "この手番はもう終わっています"
    del phone.headers["Accept-Language"]
    assert played["chaser"].look() == seen["chaser"]

    # the lid is closed, the host starts the page anew, the lid is opened
    links = {game: one.facts()["links"].popitem()[1] for game, one in played.items()}
    running.stop(signal.SIGKILL)
    running = serve_page(person, "--out", "games", port=port)
    assert {game: one.look() for game, one in played.items()} == seen
    listed = {one["id"]: one for one in phone.get("/api/lobby")["matches"]}
    for game, one in played.items():
        assert listed[one.match]["mine"] == one.facts()["mine"]  # found again in the lobby
        one.play(1, STEPS.get(game, first_step))

    # from a laptop, by the secret link, to the end
    laptop = played["nezumi"].sit(links["nezumi"])
    assert laptop.facts()["mine"] == played["nezumi"].facts()["mine"]
    assert laptop.play_to_the_end()["phase"] == "over"
    assert phone.get(f"/api/m/{laptop.match}")["match"]["returns"] == laptop.facts()["returns"]
    assert running.stop() == 130
    assert "Traceback" not in running.shown
    shown, told = person.run("masume", "view", "games", "--log")
    assert "Mio" in shown
    assert not told
