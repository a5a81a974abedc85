"""The Japanese pages: each is the twin of an English one, says the same and is written as Japanese is."""

import re
import unicodedata
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parent.parent
PATTERNS = (
    "README.md", "docs/contest.md", "docs/games/*.md", "docs/lessons.md", "docs/rules/*.md", "docs/tutorials/*.md",
)  # fmt: skip
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in PATTERNS
    for path in ROOT.glob(pattern)
    if not path.name.endswith(".ja.md")
)
TWINS = [name for name in PAGES if not name.startswith(("docs/rules/", "docs/lessons"))]
"""Pages that are translated whole; of the rules there is a summary; docs/lessons.py writes those of lessons."""
JAPANESE = sorted(path.relative_to(ROOT).as_posix() for path in [*ROOT.glob("*.ja.md"), *ROOT.glob("docs/**/*.ja.md")])

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WRITTEN = r"぀-ヿ㐀-鿿々！-～、-〜"
"""Kana, ideographs, full-width letters and punctuation."""


def twin(name):
    """Return the path of the Japanese page of an English one."""
    return name.removesuffix(".md") + ".ja.md"


def read(name):
    """Return the text of a page, empty if there is no page."""
    path = ROOT / name
    return path.read_text("utf-8") if path.is_file() else ""


def prose(text):
    """Return a page with a mark in the place of each fenced block."""
    return FENCE.sub("<block>", text)


def ranks(text):
    """Return the ranks of the headings."""
    return re.findall(r"^(#+) ", prose(text), re.MULTILINE)


def tables(text):
    """Return the tables, each a list of rows of cells."""
    found = re.findall(r"(?:^\|.*\n)+", prose(text) + "\n", re.MULTILINE)
    return [[[cell.strip() for cell in row[1:-1].split("|")] for row in one.splitlines()] for one in found]


WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def same_cell(english, japanese):
    """Return whether two cells hold the same codes and numbers; a Japanese digit may stand for an English word."""
    (codes, numbers), (copied_codes, copied) = (
        (
            Counter(re.findall(r"`[^`]+`", cell)),
            Counter(re.findall(r"\d+(?:[.,]\d+)*", re.sub(r"`[^`]+`|\]\([^)]*\)", " ", cell))),
        )
        for cell in (english, japanese)
    )
    words = {"1", *(str(n) for n, word in enumerate(WORDS) if re.search(rf"\b{word}s?\b", english))}
    return codes == copied_codes and not numbers - copied and {*(copied - numbers)} <= words


def same_line(english, japanese):
    """Return whether two lines of a block differ in a comment or a legend only."""
    if english == japanese:
        return True
    found = re.search(f"[{WRITTEN}]", japanese)
    if not found:
        return False
    # a comment begins after a gap or with its sign; before it the lines are equal
    starts = [m.start() for m in re.finditer(r" {2,}|(?:^|(?<= ))(?:#|//|;)", japanese[: found.start()])]
    return any(english.startswith(japanese[:start]) and re.match(r" {2,}|#|//|;", english[start:]) for start in starts)


def faults_of_blocks(english, japanese):
    """Return where the fenced blocks of twins differ."""
    ours, theirs = FENCE.findall(english), FENCE.findall(japanese)
    if len(ours) != len(theirs):
        return [f"{len(theirs)} code blocks, {len(ours)} in English"]
    faults = []
    for n, ((language, code), (other, copy)) in enumerate(zip(ours, theirs, strict=True), 1):
        if language != other:
            faults.append(f"code block {n} is {other!r}, {language!r} in English")
        lines, copies = code.splitlines(), copy.splitlines()
        if len(lines) != len(copies):
            faults.append(f"code block {n} has {len(copies)} lines, {len(lines)} in English")
            continue
        faults += [
            f"code block {n}: {copied!r} for {line!r}"
            for line, copied in zip(lines, copies, strict=True)
            if not same_line(line, copied)
        ]
    return faults


def faults_of_tables(english, japanese):
    """Return where the tables of twins differ in rows, columns, codes or numbers."""
    ours, theirs = tables(english), tables(japanese)
    if len(ours) != len(theirs):
        return [f"{len(theirs)} tables, {len(ours)} in English"]
    faults = []
    for n, (rows, copies) in enumerate(zip(ours, theirs, strict=True), 1):
        if [len(row) for row in rows] != [len(row) for row in copies]:
            faults.append(f"table {n} ({copies[0]}) has other rows or columns than in English")
            continue
        faults += [
            f"table {n}: {copied!r} for {cell!r}"
            for row, copied_row in zip(rows, copies, strict=True)
            for cell, copied in zip(row, copied_row, strict=True)
            if not same_cell(cell, copied)
        ]
    return faults


LABEL = r"(?:[-*+] |\d+\. |> )?"
PARTICLE = re.compile(rf"^{LABEL}(?:[はがをにでとも](?=[、。`（「A-Za-z0-9一-鿿ァ-ヴ]|$)|を|には、|とは、|にも、)")
ENDS = ("。", "。）", "：", "。**", "」", "  ")


def faults_of_paragraphs(text):
    """Return lines that begin with a particle, and breaks within a sentence, which a browser shows as a blank."""
    faults = []
    for paragraph in re.split(r"\n[ \t]*\n|(?=\n[ ]*(?:[-*+]|\d+\.) )|(?<=>)\n|\n(?=<)", prose(text)):
        lines = paragraph.strip("\n").splitlines()
        if not lines or lines[0].startswith(("|", "#", "<")):
            continue
        faults += [f"begins with a particle: {line[:30]!r}" for line in lines if PARTICLE.match(line.lstrip())]
        faults += [f"breaks within a sentence: {line[-30:]!r}" for line in lines[:-1] if not line.endswith(ENDS)]
    return faults


OLD = set("對戰國學體數實驗點變會當圍區單轉發與應關觀讀寫號繪氣澤廣壞爭櫻龍齊")
"""Ideographs that Japanese writes in another form today, and Chinese does not."""


def faults_of_letters(text):
    """Return ideographs that Japanese does not write."""
    faults = []
    for letter in sorted(set(text)):
        if unicodedata.name(letter, "").startswith("CJK UNIFIED"):
            try:
                letter.encode("shift_jis")
            except UnicodeEncodeError:
                faults.append(f"{letter} (U+{ord(letter):04X}) is no Japanese letter")
            else:
                if letter in OLD:
                    faults.append(f"{letter} (U+{ord(letter):04X}) is an old form")
    return faults


NAMES = {"ねずみ": "ネズミ", "鼠": "ネズミ", "猫": "ネコ", "Nezumi": "ネズミ算", "Kakomimasu": "囲みマス", "城壁": "壁"}


def faults_of_names(text):
    """Return names that are spelled otherwise, and the surround used before it is introduced."""
    bare = re.sub(r"`[^`]*`|\]\([^)]*\)|<[^>]*>", " ", prose(text))
    faults = [f"{wrong!r} for {right}" for wrong, right in NAMES.items() if wrong in bare]
    first = bare.find("返り討ち")
    if first >= 0 and bare[first - 2 : first] != "**":
        faults.append("返り討ち is not introduced (in bold) where it is used first")
    return faults


def anchors(text):
    """Return the anchors of the headings of a page."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", prose(text), re.MULTILINE):
        bare = re.sub(r"\]\([^)]*\)|[`\[*]", "", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", bare).replace(" ", "-"))
    return found


def faults_of_links(name, text):
    """Return relative links that lead nowhere."""
    faults = []
    for link in re.findall(r"""(?:\]\(|src="|href=")([^)"\s]+)""", prose(text)):
        if "://" in link:
            continue
        path, _, anchor = unquote(link).partition("#")
        target = (ROOT / name).parent / path if path else ROOT / name
        if not target.exists():
            faults.append(f"{link} does not exist")
        elif anchor and anchor not in anchors(target.read_text("utf-8")):
            faults.append(f"{link}: no such heading")
    return faults


def test_every_rule_finds_pages():
    for pattern in PATTERNS:
        assert [path for path in ROOT.glob(pattern) if not path.name.endswith(".ja.md")], pattern


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_its_twin(name):
    assert read(twin(name)), f"{twin(name)} is missing"


@pytest.mark.parametrize("name", JAPANESE)
def test_every_japanese_page_is_the_twin_of_a_page(name):
    assert name.removesuffix(".ja.md") + ".md" in PAGES, f"{name} has no English page"


@pytest.mark.parametrize("name", PAGES)
def test_twins_link_each_other_at_the_top(name):
    for page, line in (
        (name, f"[日本語]({Path(twin(name)).name})"),
        (twin(name), f"[English]({Path(name).name})"),
    ):
        top = re.split(r"^## ", read(page), maxsplit=1, flags=re.MULTILINE)[0].splitlines()
        assert line in top, f"{page}: no line {line} near the title"


@pytest.mark.parametrize("name", TWINS)
def test_twins_have_the_same_headings(name):
    assert ranks(read(twin(name))) == ranks(read(name)), f"{twin(name)}: the headings differ from {name}"


@pytest.mark.parametrize("name", TWINS)
def test_twins_have_the_same_code(name):
    faults = faults_of_blocks(read(name), read(twin(name)))
    assert not faults, f"{twin(name)}: {faults}"


@pytest.mark.parametrize("name", TWINS)
def test_tables_of_twins_hold_the_same_codes_and_numbers(name):
    if name == "README.md":  # its figures are made for both by one program
        pytest.skip("benches/pages.py writes both tables")
    faults = faults_of_tables(read(name), read(twin(name)))
    assert not faults, f"{twin(name)}: {faults}"


@pytest.mark.parametrize("name", TWINS)
def test_no_code_of_a_page_is_missing_from_its_twin(name):
    told, copied = (
        {" ".join(code.split()) for code in re.findall(r"`([^`]+)`", prose(read(page)))} for page in (name, twin(name))
    )
    assert told <= copied, f"{twin(name)}: {sorted(told - copied)} of {name} are missing"


@pytest.mark.parametrize("name", TWINS)
def test_twins_show_the_same_pictures(name):
    shown = [re.findall(r'(?:!\[[^]]*\]\(|src=")([^)"]+)', prose(read(page))) for page in (name, twin(name))]
    assert shown[0] == shown[1], f"{twin(name)}: the pictures differ from {name}"


@pytest.mark.parametrize("name", sorted({*PAGES} - {*TWINS}))
def test_summaries_cite_clauses_that_exist(name):
    told = {*re.findall(r"[A-Z]{2}-R?\d+", prose(read(twin(name))))}
    clauses = {*re.findall(r"[A-Z]{2}-R?\d+", read(name))}
    assert len(told) > 40, f"{twin(name)} cites {len(told)} clauses"
    assert told <= clauses, f"{twin(name)} cites {sorted(told - clauses)}, which {name} has not"


@pytest.mark.parametrize("name", JAPANESE)
def test_pages_are_written_as_japanese_is(name):
    text = read(name)
    faults = faults_of_paragraphs(text) + faults_of_letters(text) + faults_of_names(text)
    assert not faults, f"{name}: {faults}"


@pytest.mark.parametrize("name", JAPANESE)
def test_links_of_japanese_pages_lead_somewhere(name):
    faults = faults_of_links(name, read(name))
    assert not faults, f"{name}: {faults}"


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (faults_of_paragraphs("```\nx\n```\n\nは、何を試したかを示します。\n"), "begins with a particle"),
        (faults_of_paragraphs("次のコマンド\nを実行します。\n"), "begins with a particle"),
        (faults_of_paragraphs("- `a` を\n  使います。\n"), "breaks within a sentence"),
        (faults_of_letters("这里"), "U+8FD9"),
        (faults_of_letters("對戦"), "old form"),
        (faults_of_names("ねずみ算"), "ネズミ"),
        (faults_of_names("返り討ちは、**返り討ち**です。"), "not introduced"),
        (faults_of_blocks("```\na = 1  # one\n```\n", "```\na = 2  # 一\n```\n"), "code block 1"),
        (faults_of_blocks("```\na\n```\n", "```\na\nb\n```\n"), "2 lines, 1 in English"),
        (faults_of_blocks("```\na\n```\n", ""), "0 code blocks, 1 in English"),
        (faults_of_tables("| `a` | 5 mg |\n", "| `a` | 6 mg |\n"), "'6 mg' for '5 mg'"),
        (faults_of_tables("| `a` | 5 |\n", "| `b` | 5 |\n"), "'`b`' for '`a`'"),
        (faults_of_links("README.md", "[x](docs/none.md)"), "docs/none.md does not exist"),
        (faults_of_links("README.md", "[x](README.md#none)"), "no such heading"),
    ],
)
def test_the_checks_find_faults(found, told):
    assert told in " ".join(found)


@pytest.mark.parametrize(
    "found",
    [
        faults_of_paragraphs(
            "では、始めましょう。\nもう一度試します。\n\n- でも、これは別です。\n- はじめに読みます。\n"
        ),
        faults_of_letters("対戦する。々、ー"),
        faults_of_names("**返り討ち**は、`Nezumi` の勝ち方です。返り討ちです。"),
        faults_of_blocks("```\na = 1  # one\n```\n", "```\na = 1  # 一\n```\n"),
        faults_of_blocks("```\n# 5  food   # a wall\n```\n", "```\n# 5  食べ物   # 壁\n```\n"),
        faults_of_tables("| `a`, `b` | 5 mg of it |\n", "| `a`、`b` | そのうち 5 mg |\n"),
        faults_of_tables("| nine cells of 3 |\n", "| 3 のうち 9 マス |\n"),
        faults_of_links("README.ja.md", "[x](README.md#first-lines)"),
    ],
)
def test_the_checks_let_good_pages_pass(found):
    assert not found
