"""The packager: what was installed says what it is, wherever it is called."""


def test_the_commands_work_in_any_folder(person):
    version, _ = person.run("masume", "--version")
    assert version.startswith("masume ")
    shown, _ = person.run(
        "masume", "play", "chaser", "--agents", "greedy", "random", "--seed", 1, "--out", "a game.jsonl"
    )
    assert (person.folder / "a game.jsonl").exists(), shown
