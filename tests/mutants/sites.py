"""Find where an engine's source can be changed, and rewrite it so that a number switches each change on.

Sites are in the bodies of functions that are `noexcept nogil`: the rules, and all else that is computed of positions.
Their statements are Python expressions once casts (`<int32_t>x`) and addresses (`&x`) are taken for signs, which moves
no character; so `ast` finds the operators. A site is one change of one logical line:

    return a < b        return ((a <= b) if masume_mutant == 7 else (a < b))
    count += 1          if masume_mutant != 8: count += 1

What is left out, because no change of it can be seen or none would compile: declarations without a value, the step of a
range, assignments that give a local variable its first value (without it the C compiler may assume any), `sizeof`, and
the changes of PASSED_OVER.
"""

from __future__ import annotations

import ast
import dataclasses
import random
import re
from collections.abc import Iterator

SWITCH = "masume_mutant"
IMPORT = f"from masume.mutant cimport {SWITCH}"
PASSED_OVER = {  # changes that mostly change nothing
    "| -> ^": "sets that are united are mostly disjoint, and then it is the same",
    "^ -> |": "likewise",
    "-1 -> -2": "a mark for none, for which any negative number does",
}
SAMPLED = 64  # mutants of a game
NEGATED = "condition negated"

COMPARISONS = {
    "<": ("<=", ">", ">="), "<=": ("<", ">", ">="), ">": (">=", "<", "<="), ">=": (">", "<", "<="),
    "==": ("!=",), "!=": ("==",),
}  # fmt: skip
OPERATORS = {
    "+": ("-",), "-": ("+",), "*": ("+",), "/": ("*",), "//": ("*",), "%": ("//", "+"),
    "&": ("|", "^"), "|": ("&", "^"), "^": ("&", "|"), "<<": (">>",), ">>": ("<<",),
}  # fmt: skip
TOKENS = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.And: "and", ast.Or: "or",
}  # fmt: skip

FUNCTION = re.compile(r"^(\s*)cdef\b.*?(\w+)\(")
CAST = re.compile(r"<(?:const )?[A-Za-z_]\w*(?: ?\*+)?>(?=[\w(&<~\-])")
DECLARED = re.compile(r"cdef (?:const )?[A-Za-z_]\w*(?:\[[^\]]*\])? ")
WORD = re.compile(r"[A-Za-z_]\w*\Z")
ASSIGNED = re.compile(r"(?<![=!<>])(?:(?:<<|>>|//|[-+*/%&|^])?=)(?!=)")


@dataclasses.dataclass(frozen=True)
class Site:
    """A change of a logical line: what it has from `begin` to `end` becomes `text`; None: the line is dropped."""

    line: int  # of the file, from 1: where the logical line begins
    height: int  # lines of the file
    function: str
    statement: str  # the logical line, in one
    begin: int  # in the logical line
    end: int
    text: str | None
    change: str


@dataclasses.dataclass(frozen=True)
class Line:
    """A logical line of a body: `code` is as the file has it, without comments, which are blanked."""

    line: int
    function: str
    code: str


# -- the lines of a source ---------------------------------------------------------------------------


def blank_comments(text: str) -> str:
    """Return the source with blanks for comments, and for what strings and docstrings say."""
    pattern = re.compile(r'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#[^\n]*')

    def blank(match: re.Match[str]) -> str:
        found = match.group()
        if found.startswith("#"):
            return " " * len(found)
        quotes = 3 if found.startswith('"""') else 1
        inner = re.sub(r"[^\n]", "_", found[quotes:-quotes])
        return found[:quotes] + inner + found[-quotes:]

    return pattern.sub(blank, text)


def logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield (line from 1, text) of each logical line: one that brackets or a backslash carry on is one."""
    depth, begun, parts = 0, 0, []
    for number, line in enumerate(blank_comments(text).split("\n"), 1):
        if not parts:
            begun = number
        parts.append(line)
        depth += sum(line.count(mark) for mark in "([{") - sum(line.count(mark) for mark in ")]}")
        open_docstring = "\n".join(parts).count('"""') % 2
        if depth <= 0 and not open_docstring and not line.endswith("\\"):
            yield begun, "\n".join(parts)
            depth, parts = 0, []


def body_lines(text: str) -> Iterator[Line]:
    """Yield the logical lines in the bodies of functions that are `noexcept nogil`."""
    function, indent = None, 0
    for number, code in logical_lines(text):
        if not code.strip():
            continue
        here = len(code) - len(code.lstrip())
        if function is not None and here <= indent:
            function = None
        if function is None:
            found = FUNCTION.match(code)
            if found and re.search(r"noexcept nogil:\s*\Z", code):
                function, indent = found.group(2), here
        elif not code.lstrip().startswith('"'):
            yield Line(number, function, code)


# -- the changes of a line ---------------------------------------------------------------------------


def expressions(code: str) -> Iterator[tuple[int, int]]:
    """Yield where the expressions of a logical line begin and end: values, conditions, arguments."""
    stripped = code.strip()
    begin, end = code.index(stripped), code.index(stripped) + len(stripped)
    found = re.match(r"(?:if|elif|while)\b(?=.*:\Z)", stripped, re.S)
    if found:
        yield begin + found.end(), end - 1
        return
    found = re.match(r"for \w+ in range\(", stripped)
    if found:
        pieces = list(split_commas(code, begin + found.end(), end - 2))
        yield from pieces[:2]  # a step has to be a constant
        return
    if re.match(r"return\b", stripped):
        yield begin + len("return"), end
        return
    found = DECLARED.match(stripped)
    if found:
        for one, two in split_commas(code, begin + found.end(), end):
            at = ASSIGNED.search(code, one, two)
            if at and "[" not in code[one : at.start()]:
                yield at.end(), two
        return
    if re.match(r"(?:for|else|cdef|ctypedef|pass|break|continue|with|DEF|import|from)\b", stripped):
        return
    at = top_level(code, begin, end)
    if at:
        yield at[-1], end
    elif stripped.endswith(")"):  # a call, of nothing: what it is given
        yield from split_commas(code, code.index("(") + 1, end - 1)


def top_level(code: str, begin: int, end: int) -> list[int]:
    """Return where the assignments of a statement end, outside brackets."""
    return [at.end() for at in ASSIGNED.finditer(code, begin, end) if depth_at(code, begin, at.start()) == 0]


def depth_at(code: str, begin: int, at: int) -> int:
    """Return how many brackets are open at a place."""
    return sum((mark in "([{") - (mark in ")]}") for mark in code[begin:at])


def split_commas(code: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the pieces between commas outside brackets."""
    start = begin
    for at in range(begin, end):
        if code[at] == "," and depth_at(code, begin, at) == 0:
            yield start, at
            start = at + 1
    yield start, end


def as_python(text: str) -> str:
    """Return the text with signs for casts and addresses, as long as it was."""
    text = CAST.sub(lambda found: "+" + " " * (len(found.group()) - 1), text)
    return re.sub(r"(?<=[(,=\s+*])&(?=[a-z(])", "+", text)


def changes(code: str, begin: int, end: int) -> Iterator[tuple[int, int, str, str]]:
    """Yield (begin, end, new text, what changes) of an expression of a logical line; none if it is not Python."""
    padding = len(code[begin:end]) - len(code[begin:end].lstrip())
    begin += padding
    source = code[begin:end].rstrip()
    try:
        tree = ast.parse(f"({as_python(source)})", mode="eval").body
    except SyntaxError:
        return
    starts = [0]
    for line in f"({source})".split("\n"):
        starts.append(starts[-1] + len(line) + 1)

    def place(row: int, column: int) -> int:
        return begin + starts[row - 1] + column - 1

    def span(node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset)

    def between(left: ast.expr, right: ast.expr, token: str) -> tuple[int, int]:
        at = code.index(token, span(left)[1], span(right)[0])
        return at, at + len(token)

    signed = [node for node in walk(tree) if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)]
    negative = {id(node.operand) for node in signed}
    for node in walk(tree):
        if isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
            for left, right, operator in zip(operands, operands[1:], node.ops, strict=False):
                token = TOKENS.get(type(operator))
                for other in COMPARISONS.get(token or "", ()):
                    yield *between(left, right, token or ""), other, f"{token} -> {other}"
        elif isinstance(node, ast.BinOp):
            token = TOKENS.get(type(node.op))
            for other in OPERATORS.get(token or "", ()):
                yield *between(node.left, node.right, token or ""), other, f"{token} -> {other}"
        elif isinstance(node, ast.BoolOp):
            token, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield *between(left, right, token), other, f"{token} -> {other}"
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            at = span(node)[0]
            yield at, at + len("not"), "not not", "not dropped"
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            sign = "-" if id(node) in negative else ""
            for value in {node.value + 1, max(node.value - 1, 1 - node.value)} - {node.value}:
                yield *span(node), str(value), f"{sign}{node.value} -> {sign}{value}"


def walk(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the expressions in an expression, but none in a sizeof."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sizeof":
        return
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield from walk(child)


def find_sites(text: str) -> list[Site]:
    """Return all sites of a source, line by line."""
    found = []
    function, known = None, set()
    for line in body_lines(text):
        if line.function != function:
            function, known = line.function, parameters(text, line.function)
        code = line.code
        height, statement = code.count("\n") + 1, " ".join(code.split())
        for begin, end in expressions(code):
            for one, two, new, change in changes(code, begin, end):
                found.append(Site(line.line, height, line.function, statement, one, two, new, change))
            whole = re.match(r"\s*(?:if|elif|while)\b", code)
            if whole and not re.search(r"[<>=]=|[<>]| and | or |\bnot\b", as_python(code[begin:end])):
                found.append(Site(line.line, height, line.function, statement, begin, begin, "not", NEGATED))
        if can_drop(statement, known):
            found.append(Site(line.line, height, line.function, statement, 0, len(code), None, "dropped"))
        known |= {name for name, value in assigned(statement) if value}
    return found


def parameters(text: str, function: str) -> set[str]:
    """Return the names of a function's parameters."""
    found = re.search(rf"^\s*cdef\b[^\n=]*\b{function}\(([^)]*)\)[^:]*noexcept nogil:", text, re.M)
    return set(re.findall(r"(\w+)\s*(?:,|$)", found.group(1))) if found else set()


def assigned(statement: str) -> Iterator[tuple[str, bool]]:
    """Yield (name, whether it gets a value here) of the variables of a statement."""
    found = DECLARED.match(statement)
    if found:
        for one, two in split_commas(statement, found.end(), len(statement)):
            name, _, value = statement[one:two].partition("=")
            yield name.strip(" *").split("[")[0], bool(value) or "[" in name
        return
    found = re.match(r"for (\w+) in", statement)
    if found:
        yield found.group(1), True
        return
    for at in top_level(statement, 0, len(statement)):
        for name in re.findall(r"(?:^|= )(\w+) =$", statement[:at]):
            yield name, True


def can_drop(statement: str, known: set[str]) -> bool:
    """Whether a statement may be left out: not one that gives a local variable its first value."""
    if statement in ("break", "continue"):
        return True
    if re.match(r"(?:cdef|return|if|elif|else|while|for|pass|with)\b", statement):
        return False
    ends = top_level(statement, 0, len(statement))
    if not ends:
        return statement.endswith(")")
    targets = [part.strip() for part in re.split(r"(?<![=!<>])=(?!=)", statement[: ends[-1]])[:-1]]
    targets = [target.rstrip("<>/*%+-&|^ ") for target in targets]
    return all(not WORD.match(target) or target in known for target in targets)


# -- choice and rewriting ----------------------------------------------------------------------------


def choose(sources: dict[str, str], count: int, seed: int, banned: set[tuple[str, int, str]]) -> list[tuple[str, Site]]:
    """Draw at most one site a logical line, until there are `count`, in the order of the files.

    banned : (file, line, change) of sites that do not compile, which are passed over.
    """
    rng = random.Random(seed)
    by_line: dict[tuple[str, int], list[Site]] = {}
    for name in sorted(sources):
        for site in find_sites(sources[name]):
            by_line.setdefault((name, site.line), []).append(site)
    places = list(by_line)
    rng.shuffle(places)
    chosen = []
    for name, line in places:
        site = rng.choice(by_line[name, line])
        is_left_out = site.change in PASSED_OVER or (name, line, site.change) in banned
        if len(chosen) < count and not is_left_out:
            chosen.append((name, site))
    return sorted(chosen, key=lambda pair: (pair[0], pair[1].line))


def rewrite(text: str, numbered: dict[int, Site]) -> str:
    """Return the source in which each site is switched on by its number; every line stays where it was."""
    lines = text.split("\n")
    logical = dict(logical_lines(text))
    for number, site in numbered.items():
        code = logical[site.line]
        place = slice(site.line - 1, site.line - 1 + site.height)
        original = code if '"' not in code else "\n".join(lines[place])
        lines[place] = rewrite_line(original, number, site).split("\n")
    at = next(n for n, line in enumerate(lines) if re.match(r"(?:from|cimport|import)\b", line))
    lines[at] = f"{IMPORT}; {lines[at]}"
    return "\n".join(lines)


def rewrite_line(code: str, number: int, site: Site) -> str:
    """Return a logical line with its change, as high as it was."""
    if site.text is None:
        indent = len(code) - len(code.lstrip())
        return f"{code[:indent]}if {SWITCH} != {number}: {code[indent:]}"
    begin, end = next((one, two) for one, two in expressions(code) if one <= site.begin and site.end <= two)
    whole = code[begin:end]
    original = whole.strip()
    before, after = whole[: len(whole) - len(whole.lstrip())], whole[len(whole.rstrip()) :]
    changed = " ".join((code[begin : site.begin] + site.text + code[site.end : end]).split())
    if site.change == NEGATED:  # of one type with what it replaces
        original, changed = f"not not ({original})", f"not ({original})"
    choice = f"(({changed}) if {SWITCH} == {number} else ({original}))"
    return "\n".join(line.rstrip() for line in f"{code[:begin]}{before}{choice}{after}{code[end:]}".split("\n"))
