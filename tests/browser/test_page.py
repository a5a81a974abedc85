"""Pages as a reader sees them: opened in chromium, played, stepped and scrubbed."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import masume
from gallery.reference import hexagons, sea
from masume import render
from masume.render import pixels
from masume.render.drawing import draw_seen
from masume.render.svg import piece, style
from random_games import Recorded, kakomimasu, random_game
from toy import Counting
from visitors import DESK, PHONE


@pytest.fixture
def visit(chromium, tmp_path):
    """visit(games, ...) opens their page; at the end, no script may have failed and no network request been made."""
    contexts, troubles = [], []

    def visit(games, viewport=DESK, scheme="light", **options):
        path = tmp_path / "page.html"
        path.write_text(render.page(games, **{"title": "games", **options}), "utf-8")
        context = chromium.new_context(viewport=viewport, color_scheme=scheme)
        contexts.append(context)
        tab = context.new_page()
        tab.on("console", lambda message: troubles.append(message.text))
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.on("dialog", lambda dialog: troubles.append(dialog.message))
        tab.on("request", lambda request: request.url in (path.as_uri(), "data:,") or troubles.append(request.url))
        tab.goto(path.as_uri())
        # maps a point of the board to the window
        tab.evaluate(
            """window.onPage = (x, y) => {
              const point = new DOMPoint(x, y).matrixTransform(find("board").getScreenCTM());
              return [point.x, point.y];
            }"""
        )
        return tab

    yield visit
    for context in contexts:
        context.close()
    assert not troubles


@pytest.fixture(scope="module")
def game():
    return kakomimasu(["one", "two"], 3, width=8, height=6, n_agents=3, total_turns=12)


def hover(tab, cell):
    """Point at the middle of a cell."""
    tab.mouse.move(*tab.evaluate("cell => onPage(...game.grid.centres[cell])", cell))


def at(tab):
    return int(tab.input_value("#slider"))


def test_the_keys_step(visit, game):
    tab = visit([game])
    assert tab.text_content("#caption") == "start of 12 turns"
    for key, turn in [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 12), ("ArrowRight", 12),
                      ("Home", 0), ("ArrowLeft", 0)]:  # fmt: skip
        tab.keyboard.press(key)
        assert at(tab) == turn
    tab.keyboard.press("Control+ArrowRight")
    assert at(tab) == 0


def test_the_buttons_step_and_say_where_the_ends_are(visit, game):
    tab = visit([game])
    assert tab.is_disabled("#first")
    assert tab.is_disabled("#back")
    for button, turn in [("forward", 1), ("forward", 2), ("back", 1), ("last", 12), ("first", 0), ("last", 12)]:
        tab.click(f"#{button}")
        assert at(tab) == turn
    assert tab.is_disabled("#forward")
    assert tab.is_disabled("#last")
    assert tab.text_content("#caption").startswith("end after turn 12: ")


def test_space_plays_to_the_end_and_begins_again(visit, game):
    tab = visit([game])
    tab.select_option("#speed", "16")
    tab.evaluate("document.activeElement.blur()")
    tab.keyboard.press(" ")
    assert tab.get_attribute("#play", "aria-label") == "Pause"
    tab.wait_for_selector("#play[aria-label=Play]")
    assert at(tab) == 12
    tab.keyboard.press(" ")
    tab.keyboard.press(" ")
    assert tab.get_attribute("#play", "aria-label") == "Play"
    assert at(tab) < 12


def test_play_pauses_by_its_button_and_by_any_step(visit, game):
    tab = visit([game])
    tab.click("#play")
    tab.click("#play")
    assert tab.get_attribute("#play", "aria-label") == "Play"
    tab.click("#play")
    tab.keyboard.press("Home")
    assert tab.get_attribute("#play", "aria-label") == "Play"
    stood = at(tab)
    tab.wait_for_timeout(400)
    assert at(tab) == stood == 0


def test_the_slider_and_the_chart_go_to_a_turn(visit, game):
    tab = visit([game])
    tab.fill("#slider", "7")
    assert tab.text_content("#caption") == "after turn 7 of 12"
    assert tab.get_attribute("#slider", "aria-valuetext") == "after turn 7 of 12"
    box = tab.locator("#chart svg").bounding_box()
    where = tab.evaluate("scores.x(4) / CHART.width")
    tab.mouse.click(box["x"] + box["width"] * where, box["y"] + box["height"] / 2)
    assert at(tab) == 4
    tab.mouse.down()
    tab.mouse.move(box["x"] + box["width"] - 1, box["y"] + 5)
    tab.mouse.up()
    assert at(tab) == 12


def test_scores_captions_and_labels_are_those_of_the_states(visit, game):
    tab = visit([game])
    for turn in (0, 5, 12):
        tab.evaluate("turn => show(turn)", turn)
        scores = [int(score) for score in game.positions[turn].scores()]
        shown = [
            text.replace("\N{MINUS SIGN}", "-").replace(",", "") for text in tab.locator(".score").all_text_contents()
        ]
        assert [int(text) for text in shown] == scores
        title = ET.fromstring(render.svg(game.positions[turn])).find("{http://www.w3.org/2000/svg}title")
        assert tab.get_attribute("#board", "aria-label") == title.text


def test_a_pointer_tells_what_is_on_a_cell(visit, game):
    tab = visit([game])
    tab.keyboard.press("End")
    variables = game.positions[-1].to_dict()
    owner = "ABCD"[variables["wall"][variables["pos"][1][0]]]
    cell = variables["pos"][1][0]
    unit = tab.locator("#board .piece.p1", has_text="0")
    unit.hover()
    point = str(variables["config"]["points"][cell]).replace("-", "\N{MINUS SIGN}")
    assert tab.text_content("#readout") == f"{cell % 8},{cell // 8}: {point}, wall of {owner}, mason B0"
    tab.mouse.move(1, 1)
    assert tab.text_content("#readout") == ""


def test_what_failed_is_drawn_and_told(visit):
    clash = masume.load("kakomimasu", width=5, height=3, n_agents=1, total_turns=4)
    game = random_game(clash, ["one", "two"])
    state = clash.parse("A.B..\n.....\n.....\nagents: A0@0,0 B0@2,0\nplayed: 2")
    game.positions, game.moves = [state.clone()], [[1 + 2, 1 + 6], [9 + 2, 1 + 4]]
    for move in game.moves:
        state.apply(move, on_illegal="fallback")
        game.positions.append(state.clone())
    tab = visit([game])
    assert tab.text_content("#acts") == "none yet"
    tab.keyboard.press("ArrowRight")
    assert tab.locator("#acts .failed").all_text_contents() == ["A0 move 1,0: conflict", "B0 move 1,0: conflict"]
    assert tab.locator("#board .badge text").all_text_contents() == ["!", "!"]
    tab.keyboard.press("ArrowRight")
    assert tab.locator("#acts li").all_text_contents() == ["A0 remove 1,0: invalid", "B0 move 2,1"]
    assert tab.locator("#board .badge text").all_text_contents() == ["?"]
    assert tab.locator("#board .trail").count() == 1
    assert tab.locator("#legend .failed").all_text_contents() == ["!", "?"]


def test_the_script_draws_what_svg_draws(visit, game):
    every_tile = masume.load(
        "kakomimasu", width=4, height=3, n_players=4, n_agents=2, min_point=-100, positive_ratio=30
    )
    games = [
        game,
        kakomimasu("abcd", 5, width=5, height=7, n_players=4, n_agents=16, total_turns=9, symmetry="none"),
        kakomimasu("ab", 1, width=1, height=1, n_agents=1, total_turns=1),
        random_game(masume.load(Counting()), ["a", "b"]),
        Recorded("abcd", 0, [], [every_tile.parse("ABCD\nabcd\n....\nagents: A0@0,0 D1@3,0")]),
        hexagons(),
        sea(),
        random_game(masume.load("chaser", height=7, width=9, n_blocks=4, n_items=20), ["a", "b"], 3),
    ]
    tab = visit(games)
    seen = 0
    for number, one in enumerate(games):
        num_views = tab.evaluate("number => (data.games[number].views ?? []).length", number)
        for player in (None, *range(num_views)):
            same = tab.evaluate(
                """([number, player, svgs]) => {
                  choose(number);
                  look(player);
                  return svgs.map((text, turn) => {
                    show(turn);
                    const twin = new DOMParser().parseFromString(text, "image/svg+xml");
                    return ["board", "units", "tags"].every((name) => {
                      const [here, there] = [document, twin].map((tree) => tree.querySelector(`svg.masume g.${name}`));
                      return there === null ? here.childNodes.length === 0 : here.isEqualNode(there);
                    });
                  });
                }""",
                [number, -1 if player is None else player, [render.svg(state, player) for state in one.positions]],
            )
            assert same == [True] * len(one.positions)
            seen += 1
    assert seen == 8 + 2 + 2 + 2  # the toy is of imperfect information too


def test_the_view_of_a_player_shows_what_it_knows(visit):
    tab = visit([sea(), hexagons()])
    options = tab.locator("#views option").all_text_contents()
    assert options == ["everything", "P0: one", "P1: two"]
    tab.keyboard.press("End")
    assert tab.locator(".score").all_text_contents() == ["5", "3"]
    assert tab.locator("#chart .curve").count() == 2
    assert tab.locator("#board .unknown").count() == 0
    assert tab.text_content("#told") == "Actions"
    tab.select_option("#views", label="P1: two")
    assert at(tab) == 1
    assert tab.locator(".score").all_text_contents() == ["?", "4"]
    assert tab.locator("#chart .curve").count() == 1
    assert tab.locator("#chart .now circle").count() == 1
    assert tab.locator("#board .unit").count() == 0
    assert tab.locator("#board .ground").get_attribute("d").count("M") == 24
    assert tab.locator("#board .unknown").get_attribute("d").count("M") == 24
    tab.select_option("#views", label="P0: one")
    assert tab.text_content("#caption") == "a hit"
    assert tab.text_content("#told") == "Events"
    assert tab.locator("#acts li").all_text_contents() == ["HIT on C4"]
    assert tab.locator("#board .faint text").all_text_contents() == ["O0"]
    tab.keyboard.press("Home")
    assert tab.locator("#board .unknown").get_attribute("d").count("M") == 12
    assert tab.text_content("#caption") == "turn 1"
    tab.evaluate("document.activeElement.blur()")
    for view, units in (("1", 0), ("-1", 9), ("0", 5)):
        tab.keyboard.press("v")
        assert tab.input_value("#views") == view
        assert tab.locator("#board .unit").count() == units
    tab.select_option("#games", "1")
    assert tab.is_hidden("#view")
    tab.evaluate("document.activeElement.blur()")
    tab.keyboard.press("v")
    assert tab.input_value("#views") == "-1"
    tab.select_option("#games", "0")
    assert tab.input_value("#views") == "-1"


def test_a_pointer_tells_names_notes_and_all_units_of_a_cell(visit):
    tab = visit([sea(), hexagons()])
    for cell, told in [
        (0, "A1: 3, item, D0"),
        (8, "C2, sea, S0, O0, m0, torp0"),
        (11, "F2, block"),
        (22, "E4: low, sea"),
    ]:
        hover(tab, cell)
        assert tab.text_content("#readout") == told
    tab.select_option("#games", "1")
    tab.keyboard.press("ArrowRight")
    for cell, told in [(1, "-2,1: F 12, base of A"), (9, "0,0: 5, hole of B, X"), (18, "2,0, wasteland")]:
        hover(tab, cell)
        assert tab.text_content("#readout") == told
    tab.mouse.move(*tab.evaluate("onPage(MARGIN, MARGIN)"))
    assert tab.text_content("#readout") == ""


def test_moves_without_a_unit_and_jumps_are_drawn(visit):
    tab = visit([hexagons()])
    tab.keyboard.press("ArrowRight")
    done, failed = (tab.locator(f"#board .{kind}").get_attribute("d") for kind in ("trail", "trail-failed"))
    assert (done.count("M"), done.count("Q"), done.count("L")) == (2, 1, 2)  # a line with a head
    assert (failed.count("M"), failed.count("Q"), failed.count("L")) == (1, 1, 0)
    assert tab.locator("#board .badge text").all_text_contents() == ["!"]
    tab.keyboard.press("ArrowRight")
    jump, ring = (tab.locator(f"#board {kind}").get_attribute("d") for kind in (".trail.p0", ".trail:not(.p0)"))
    assert (jump.count("Q"), ring.count("Q")) == (3, 0)  # one per hop; the ring is not a hop
    assert ring.count("a14.5") == 2
    told = tab.locator("#acts ul")
    assert told.all_text_contents() == ["X jump 2,-1", "mark -1,2"]
    assert [told.nth(n).get_attribute("aria-label") for n in (0, 1)] == ["one", "others"]


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_the_controls_are_in_sight_without_scrolling(visit, number):
    row = {"game": "kakomimasu", "games": 10**6, "moves": 10**8, "moves/s": 10**6, "won by seat": "50.0% 49.0%"}
    games = [
        sea(),
        hexagons(),
        kakomimasu(["one", "two"], 3, width=24, height=24, n_agents=14, total_turns=3),
        random_game(masume.load("chaser", preset="contest"), ["a", "b"], 3),
    ]
    tab = visit(games, summary=[row] * 5, throughput=[(1.0, 5.0), (2.0, 7.0)])
    tab.select_option("#games", str(number))
    for view in range(-1, tab.locator("#views option").count() - 1):
        tab.evaluate("view => look(view)", view)
        assert tab.evaluate("window.scrollY") == 0
        for part in ("#slider", "#play", "#last", "#speed", "#caption"):
            box = tab.locator(part).bounding_box()
            assert box["y"] + box["height"] <= DESK["height"]
        board = tab.locator("#board").bounding_box()
        assert board["height"] > 250
    tab.click("text=Summary of the run")
    assert tab.locator("#summary table").bounding_box()["y"] < DESK["height"] - 100


def test_games_are_chosen_and_names_are_only_text(visit, game):
    hostile = "<img src=x onerror=alert(1)> </script> \u2028"
    other = kakomimasu([hostile, "two"], 4, width=3, height=3, n_agents=1, total_turns=2)
    tab = visit([game, other], title=hostile)
    tab.keyboard.press("End")
    tab.select_option("#games", "1")
    assert at(tab) == 0
    assert tab.get_attribute("#slider", "max") == "2"
    assert tab.locator(".player .name").all_text_contents() == [hostile, "two"]
    assert hostile.split("\u2028")[0].strip() in tab.locator("#games option").nth(1).text_content()
    assert tab.locator("img").count() == 0
    assert tab.locator("h1").text_content() == hostile


def test_a_page_without_games_says_so(visit):
    tab = visit([], summary=[{"game": "x", "games": 0}], throughput=[(0.5, 3.0)])
    assert tab.is_visible("#no-games")
    assert tab.is_hidden("#game")
    assert tab.locator("#throughput .curve").get_attribute("d").count("L") == 1
    tab.keyboard.press(" ")
    tab.keyboard.press("End")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_nothing_overflows_or_is_unreadable(visit, game, viewport, scheme):
    numbers = {"games": 10**6, "moves": 10**8, "moves/s": 10**6, "mean length": 60.0}
    summary = [{"game": "kakomimasu", **numbers, "won by seat": "50.0% 49.0%", "drawn": "1.0%"}]
    tab = visit([game, game], viewport, scheme, summary=summary, throughput=[(1.0, 5.0), (2.0, 7.0)])
    tab.keyboard.press("End")
    assert tab.evaluate("document.documentElement.scrollWidth") == viewport["width"]
    board = tab.locator("#board").bounding_box()
    assert board["width"] >= 0.6 * min(viewport["width"], 1100)
    contrasts = tab.evaluate(
        """() => {
          const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
          const light = (color) => {
            canvas.fillStyle = color;
            canvas.fillRect(0, 0, 1, 1);
            const part = (byte) => (byte / 255 <= 0.04045 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4);
            const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
            return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
          };
          const ratio = (one, other) => {
            const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
            return (high + 0.05) / (low + 0.05);
          };
          // of a cell of a player, which is drawn over the ground
          const mixed = (selector) => {
            const { fill: own, fillOpacity } = getComputedStyle(document.querySelector(selector));
            canvas.fillStyle = fill(".ground");
            canvas.fillRect(0, 0, 1, 1);
            canvas.globalAlpha = Number(fillOpacity);
            canvas.fillStyle = own;
            canvas.fillRect(0, 0, 1, 1);
            canvas.globalAlpha = 1;
            const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
            return `rgb(${red}, ${green}, ${blue})`;
          };
          const fill = (selector) => getComputedStyle(document.querySelector(selector)).fill;
          const style = getComputedStyle(document.body);
          return {
            body: ratio(style.color, style.backgroundColor),
            plain: ratio(fill(".plain-value text"), fill(".ground")),
            first: ratio(fill(".wall-value text"), mixed("#board .plot.p0")),
            second: ratio(fill(".wall-value text"), mixed("#board .plot.p1")),
          };
        }"""
    )
    assert min(contrasts.values()) > 4.5, contrasts


PIXELS = """async (picture) => {
  const image = new Image();
  image.src = "data:image/svg+xml," + encodeURIComponent(picture);
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  const drawn = canvas.getContext("2d");
  drawn.drawImage(image, 0, 0);
  return [...drawn.getImageData(0, 0, image.width, image.height).data];
}"""


@pytest.mark.parametrize("name", masume.games())
def test_shapes_are_the_same_in_pictures_of_both_kinds(chromium, name):
    """`pixels` draws what a browser makes of `svg`, but for what smoothing does to the edges."""
    game = masume.load(name)
    state = random_game(game, ["x"] * game.num_players, 1, plies=40).positions[-1]
    scene, _frame = draw_seen(state, None)
    assert scene.shapes
    tab = chromium.new_page()
    for shape in scene.shapes.values():
        picture = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="masume" viewBox="-20 -20 40 40" width="40" height="40">'
            f"<style>{style()} .masume .piece .aura {{ stroke: none; }}</style>"
            f'<path fill="#fff" d="M-20-20h40v40h-40z"/>{piece(shape, 0, 0, 0, False)}</svg>'
        )
        seen = np.array(tab.evaluate(PIXELS, picture)).reshape(40, 40, 4)[..., :3]
        drawn = np.full((40, 40, 3), 255, np.uint8)
        pixels.draw_shape(drawn, shape, 0, 20, 20, 1)
        assert np.abs(seen - drawn).mean() < 4, shape.name
        assert (np.abs(seen - drawn).max(axis=2) > 100).sum() < 12, shape.name
    tab.close()
