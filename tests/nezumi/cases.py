"""Configs of Nezumi for the tests of all games (tests/cases.py)."""


def stage(*rows, max_mice=4, require=2, turns=40, foods=("a crumb 1mg", "b wheel 1000000kg")):
    """Return the text of a stage with these rows."""
    numbers = {"max_mice": max_mice, "require": require, "turns": turns}
    head = ["nezumi-stage 1", "name: drawn", *(f"{key}: {value}" for key, value in numbers.items())]
    return "\n".join([*head, *(f"food: {food}" for food in foods), "map:", *rows, ""])


FOODS = ("a crumb 1mg", "b roast 1kg", "c wheel 9kg")

CASES = [
    {},
    {"stage": stage("Z.C", max_mice=1, require=1, turns=2, foods=FOODS)},
    {"stage": "siege", "surround_flip": True, "turns": 3},
    {"stage": stage("Z.#....#C", "ZZ#...c#.", "Zc.......", "####...#.", max_mice=9, require=9, turns=12, foods=FOODS)},
    {"stage": stage(*31 * ["Z" + 30 * "." + "a"], 31 * "b" + "C", max_mice=255, require=200, turns=2, foods=FOODS)},
]
VARIED = "turns"
SMALL = {"turns": 4}
FUZZED = [
    {"stage": stage("ZZa.", "##.#", "ZZbC"), "turns": 3},
    {"stage": stage("Z.C")},
    {"stage": stage("Z#Z.C", max_mice=2, require=1)},
    {
        "stage": stage("Z" + 30 * "." + "a", *29 * [32 * "Z"], 32 * ".", 31 * "b" + "C"),
        "max_mice": 255,
        "require": 255,
    },
    {"stage": "siege", "surround_flip": True},
    {},
]
PICTURES = {"": {"start": "granary", "agents": ["greedy", "crafty"], "seed": 3, "ply": 60}}
ACTIONS = {
    "r,cN .. r,cW": r"\d+,\d+[NESW]",
    "r,c+": r"\d+,\d+\+",
    "r,cX": r"\d+,\d+X",
    "-": "-",
    "N .. W": "[NESW]",
    "!": "!",
}


def letters(config):
    """Return the values of the letters in docs/games/nezumi.md."""
    return {"W": config.stage.width, "H": config.stage.height}
