"""The code of a lesson's cells: its comments and docstrings, its solutions, and when two are the same code.

The stub of an exercise is its answer cell without the solution between the two markers.

Cells are Python with IPython's additions. A line such as ``%pip install x`` or ``!ls`` is set aside before
Python looks at the cell; a cell that is not Python even then (``%%bash``) is left as it is.
"""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import mark
from loaderlab.i18n.language import translate as _

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
YOUR_CODE = mark("your code here")

# The functions whose first argument is a message, and those of whose arguments some are, by their names.
KEYWORDS = ("_", "mark", "translate")
FIELDS = {
    "Criterion": ("says", "hint"),
    "Miss": ("hint",),
    "slow": ("says", "advice"),
    "wrong": ("says", "otherwise", "advice"),
}

_PYTHON_MAGICS = ("writefile", "time", "timeit", "capture", "prun")
_NOT_A_COMMENT = re.compile(r"#\s*(?:noqa|type:|pragma|fmt:|ruff:|%%|#+ (?:BEGIN|END) SOLUTION)|#!")


@dataclass(frozen=True)
class Remark:
    """A comment (own lines, one under the other, are one) or a docstring: where it stands and what it says.

    ``start`` and ``end`` are offsets in the cell's source; ``written`` is the source for another message
    there.
    """

    start: int
    end: int
    message: str
    kind: str
    written: Callable[[str], str]


# A build asks for the same code in each language and kind of notebook.
@lru_cache(maxsize=4096)
def remarks(source: str) -> Sequence[Remark]:
    """Return the comments and docstrings of a cell, in the order of the source."""
    tokens = _tokens(source)
    found = [*_comments(source, tokens), *_docstrings(source, tokens)] if tokens else []
    return tuple(sorted(found, key=lambda remark: remark.start))


def render(source: str, translate: Callable[[str], str | None]) -> str:
    """Return ``source`` with its comments and docstrings translated; what has no translation (None) stays as it was.

    Raises :class:`LabError` when a translation would change the code, as a stray quotation mark can.
    """
    result = source
    for remark in reversed(remarks(source)):
        translated = translate(remark.message)
        if translated is not None:
            result = result[: remark.start] + remark.written(translated) + result[remark.end :]
    if not same(source, result):
        raise LabError(
            _(
                "The translated comments change the code of this cell:\n{code}\nExpected: the same code. "
                "Look for a backslash or a quotation mark in the translation of its comments and docstrings."
            ).format(code=result)
        )
    return result


def same(one: str, other: str) -> bool:
    """Return whether two cells are the same code: everything but comments, docstrings and blank lines is equal."""
    return one == other or essence(one) == essence(other)


@lru_cache(maxsize=4096)
def essence(source: str) -> str:
    """Return the part of a cell, or of a file, that an output can depend on: all but comments, docstrings, messages, blank lines.

    The same under every version of Python. On which messages an output depends is seen when they are said.
    """
    tree = parsed(source)
    if tree is None:
        return source
    tokens = _tokens(source)
    without = [token for token in tokens if token.type == tokenize.COMMENT] + _docstring_tokens(
        source, tokens
    )
    starts = _offsets(source)
    spans = [_span(starts, token, token) for token in without]
    kept = list(source)
    for start, end in [*spans, *_message_spans(source, tree)]:  # a comment can stand inside a message
        kept[start:end] = [""] * (end - start)
    return "\n".join(line.rstrip() for line in "".join(kept).split("\n") if line.strip())


def stub(source: str, where: str, remark: str) -> str:
    """Return ``source`` without its solutions: each is replaced by ``raise NotImplementedError  # remark``.

    ``where`` names file and cell in the :class:`LabError` that an unclosed, nested or stray marker raises.
    """
    kept: list[str] = []
    opened = 0
    for count, line in enumerate(source.split("\n"), 1):
        if line.strip() == BEGIN:
            if opened:
                raise _marker_error(
                    where, count, _("a second {begin} before the {end} of line {line}"), opened
                )
            opened = count
            kept.append(f"{line[: line.index('#')]}raise NotImplementedError  # {remark}")
        elif line.strip() == END:
            if not opened:
                raise _marker_error(where, count, _("{end} without a {begin} before it"), count)
            opened = 0
        elif "BEGIN SOLUTION" in line or "END SOLUTION" in line:
            raise _marker_error(
                where, count, _("a marker that is not alone on its line, or is misspelt"), count
            )
        elif not opened:
            kept.append(line)
    if opened:
        raise _marker_error(where, opened, _("{begin} without an {end} after it"), opened)
    return "\n".join(kept)


def sentences(source: str) -> list[str]:
    """Return the string literals of a cell that hold a sentence: four words in a row that are not code."""
    tree = parsed(source)
    if tree is None:
        return []
    docstrings = {id(node) for node in _docstring_nodes(tree)}
    texts = (
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
    )
    return [text for text in texts if _SENTENCE.search(text) and not _is_code(text)]


def calls(source: str, function: str) -> Iterator[ast.Call]:
    """Yield the calls ``lab.<function>(…)`` in a cell."""
    tree = parsed(source)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Call) and ast.unparse(node.func) == f"lab.{function}":
            yield node


_SENTENCE = re.compile(r"(?<![\w/.-])[A-Za-z][a-z']*[,;:]?(?: [A-Za-z][a-z']*[,;:]?){2} [a-z']+(?![\w/(=-])")


def _is_code(text: str) -> bool:
    try:
        ast.parse(textwrap.dedent(text))
    except (SyntaxError, ValueError):
        return False
    return True


def _marker_error(where: str, line: int, problem: str, opened: int) -> LabError:
    return LabError(
        _(
            "{where}, line {line} of the cell: {problem}. Expected: every solution between a line {begin} "
            "and a line {end}, one after the other, not one inside another. Add, move or remove the marker."
        ).format(
            where=where,
            line=line,
            problem=problem.format(begin=BEGIN, end=END, line=opened),
            begin=BEGIN,
            end=END,
        )
    )


def _masked(source: str) -> str | None:
    """Return ``source`` as Python can read it, line for line and indented alike; None if it is not Python."""
    if _tree_of(source):
        return source
    lines = source.split("\n")
    if lines[0].startswith("%%") and lines[0][2:].split(" ")[0] not in _PYTHON_MAGICS:
        return None
    # A cell magic becomes an empty line, so that a docstring may follow it.
    masked = "\n".join("" if line.startswith("%%") else _MAGIC.sub(r"\1pass", line) for line in lines)
    return masked if _tree_of(masked) else None


_MAGIC = re.compile(r"^(\s*)(?:[%!]|[\w.]+\s*=\s*[%!]).*$")


@lru_cache(maxsize=4096)
def _tree_of(source: str) -> ast.Module | None:
    """Return the tree of a source, which nobody changes; None where it is not Python."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return None


def parsed(source: str) -> ast.Module | None:
    """Return the tree of a cell, which nobody changes; None where it is not Python."""
    masked = _masked(source)
    return None if masked is None else _tree_of(masked)


@lru_cache(maxsize=4096)
def _tokens(source: str) -> Sequence[tokenize.TokenInfo]:
    masked = _masked(source)
    return () if masked is None else tuple(tokenize.generate_tokens(io.StringIO(masked).readline))


def _offsets(source: str) -> list[int]:
    """Return the offset at which each line begins; the first line is number 1, as in a token."""
    starts = [0, 0]
    for line in source.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def _span(starts: list[int], first: tokenize.TokenInfo, last: tokenize.TokenInfo) -> tuple[int, int]:
    """Return the offsets where the first token begins and the last one ends."""
    return starts[first.start[0]] + first.start[1], starts[last.end[0]] + last.end[1]


def _comments(source: str, tokens: Sequence[tokenize.TokenInfo]) -> Iterator[Remark]:
    groups: list[list[tokenize.TokenInfo]] = []
    for token in tokens:
        if token.type == tokenize.COMMENT and not _NOT_A_COMMENT.match(token.string):
            last = groups[-1][-1] if groups else None
            below = last is not None and token.start == (last.start[0] + 1, last.start[1])
            if below and last is not None and _alone(source, token) and _alone(source, last):
                groups[-1].append(token)
            else:
                groups.append([token])
    starts = _offsets(source)
    for group in groups:
        message = "\n".join(re.sub(r"^#+[ \t]?", "", token.string) for token in group).strip()
        if any(character.isalpha() for character in message):
            first, last = group[0], group[-1]
            # A comment behind code has to stay on its line.
            further = f"\n{' ' * first.start[1]}# " if _alone(source, first) else " "
            yield Remark(*_span(starts, first, last), message, "comment", partial(_comment, further))


def _comment(further: str, message: str) -> str:
    return "# " + message.replace("\n", further)


def _alone(source: str, token: tokenize.TokenInfo) -> bool:
    return not _before(source, token).strip()


def _before(source: str, token: tokenize.TokenInfo) -> str:
    """Return the text before a token on its line; ``token.line`` depends on the version of Python."""
    return source.split("\n")[token.start[0] - 1][: token.start[1]]


def messages(source: str) -> list[str]:
    """Return the messages of a Python file, in the order in which they stand there, each once."""
    nodes = sorted(_message_nodes(ast.parse(source)), key=lambda node: (node.lineno, node.col_offset))
    return list(dict.fromkeys(str(node.value) for node in nodes if node.value))


def _message_spans(source: str, tree: ast.Module) -> Iterator[tuple[int, int]]:
    """Yield the offsets where the messages of a source begin and end."""
    starts, lines = _offsets(source), ["", *source.split("\n")]

    def offset(line: int, column: int) -> int:  # ast counts bytes
        return starts[line] + len(lines[line].encode()[:column].decode())

    for node in _message_nodes(tree):
        if node.end_lineno and node.end_col_offset:
            yield offset(node.lineno, node.col_offset), offset(node.end_lineno, node.end_col_offset)


def _message_nodes(tree: ast.Module) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            fields = FIELDS.get(node.func.id, ())
            found = [each.value for each in node.keywords if each.arg in fields]
            found += node.args[:1] if node.func.id in KEYWORDS else []
            # Several messages may be the values of a dict.
            found += [value for each in found if isinstance(each, ast.Dict) for value in each.values]
            for each in found:
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield each


def _docstring_nodes(tree: ast.Module) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body:
            first = node.body[0]
            value = first.value if isinstance(first, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield value


def _docstring_tokens(source: str, tokens: Sequence[tokenize.TokenInfo]) -> list[tokenize.TokenInfo]:
    tree = parsed(source)
    assert tree is not None
    spans = {(node.lineno, node.col_offset, node.end_lineno) for node in _docstring_nodes(tree)}
    return [
        token
        for token in tokens
        if token.type == tokenize.STRING
        and (token.start[0], len(_before(source, token).encode()), token.end[0]) in spans
    ]


def _docstrings(source: str, tokens: Sequence[tokenize.TokenInfo]) -> Iterator[Remark]:
    starts = _offsets(source)
    for token in _docstring_tokens(source, tokens):
        opening = re.match(r"[rRuU]?(\"\"\"|'''|\"|')", token.string)
        assert opening is not None
        text = token.string[opening.end() : -len(opening[1])]
        # As inspect.cleandoc does it: the first line apart, the others without their common indentation.
        first, newline, rest = text.partition("\n")
        message = (first.strip() + newline + textwrap.dedent(rest)).strip()
        if any(character.isalpha() for character in message):
            before = _before(source, token)
            indent = "\n" + before[: len(before) - len(before.lstrip())]
            closing = indent if text.rstrip(" ").endswith("\n") else ""
            written = partial(_docstring, opening[0], indent, closing)
            yield Remark(*_span(starts, token, token), message, "docstring", written)


def _docstring(opening: str, indent: str, closing: str, message: str) -> str:
    quote = opening.lstrip("rRuU")
    if "\n" in message and len(quote) == 1:
        opening, quote = opening.replace(quote, quote * 3), quote * 3
    return opening + re.sub(r"\n(?=[^\n])", indent, message) + closing + quote
