"""Markdown prose, split without loss into pieces: what is translated, and what is not.

markdown-it-py says in which lines a block stands, and what it says; the pieces are cut out of these lines. So, put together
again, they are the text, byte for byte, and what is not understood is at worst left in English, never damaged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

HTML = "HTML"


@dataclass(frozen=True)
class Piece:
    """A stretch of source. ``message`` is what a translator sees of it, or None where nothing is translated.

    Soft line breaks are spaces in the message: wrapping a paragraph differently must not cost its
    translation. ``kind`` tells the translator what it is, or says that it is HTML; ``margin`` opens every further line of a
    translation.
    """

    text: str
    message: str | None = None
    kind: str = ""
    margin: str = ""


def render(pieces: Iterable[Piece], translate: Callable[[str], str | None]) -> str:
    """Return the text with its messages translated; a message without a translation (None) stays as it was."""
    return "".join(piece.text if (new := _new(piece, translate)) is None else new for piece in pieces)


def _new(piece: Piece, translate: Callable[[str], str | None]) -> str | None:
    translated = None if piece.message is None else translate(piece.message)
    return None if translated is None else translated.replace("\n", "\n" + piece.margin)


_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")  # str.splitlines knows too many line ends
_CELL = re.compile(r"(?:\\.|[^|\\])+", re.DOTALL)
_MARKER, _BOX = re.compile(r"[-*+]|\d[.)]"), re.compile(r"\[[ xX]\][ \t]+")
_SILENT = re.compile(
    r"(`+)(?!`).*?(?<!`)\1(?!`)|\$[^$]*\$|<!--.*?-->|<[^>]*>|https?://\S+|\{[^{}]*\}|&\#?\w+;", re.DOTALL
)


def has_words(text: str) -> bool:
    """Return whether ``text`` says anything beside code, formulas, tags, addresses and placeholders."""
    return any(character.isalpha() for character in _SILENT.sub("", text))


@lru_cache
def _parser() -> MarkdownIt:
    """Return the parser, of which only is asked where blocks stand: a formula is one that nobody translates."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.amsmath import amsmath_plugin
    from mdit_py_plugins.colon_fence import colon_fence_plugin
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    parser = MarkdownIt("commonmark").enable("table").disable("inline")
    return parser.use(dollarmath_plugin).use(amsmath_plugin).use(colon_fence_plugin)


def split(markdown: str) -> Iterator[Piece]:
    """Yield the pieces of ``markdown``: headings, paragraphs, list items, table cells, and what lies between."""
    lines = _LINE.findall(markdown)
    at = 0  # the first line that is in no piece yet
    before = ""
    for token in _parser().parse(markdown):
        if token.type in ("inline", "table_open", "html_block") and token.map and token.map[0] >= at:
            first, end = token.map
            yield Piece("".join(lines[at:first]))
            if token.type == "inline":
                yield from _prose("".join(lines[first:end]), token.content, before == "heading_open")
            elif token.type == "table_open":
                yield from _row(lines[first])
                yield Piece(lines[first + 1])
                for line in lines[first + 2 : end]:
                    yield from _row(line)
            else:
                yield Piece("".join(lines[first:end]), kind=HTML)
            at = end
        before = token.type
    yield Piece("".join(lines[at:]))


def _prose(source: str, content: str, is_heading: bool) -> Iterator[Piece]:
    """Yield the pieces of a heading or a paragraph: what stands before it, what it says, and the end of its last line."""
    first, *others = content.split("\n")
    lead = source[: source.partition("\n")[0].rindex(first)]
    is_item = not is_heading and bool(_MARKER.search(lead))
    if is_item and (box := _BOX.match(first)):
        lead, first = lead + box[0], first[box.end() :]
    text = first if is_heading and not others else source[len(lead) :].rstrip()
    message = first
    for line in others:  # two spaces or a backslash at the end of a line: a break that is meant
        message = message + "\n" if message.endswith(("  ", "\\")) else message.rstrip() + " "
        message += line.lstrip()
    kind = "heading" if is_heading else "list item" if is_item else "paragraph"
    yield Piece(lead)
    yield Piece(text, message, kind, re.sub(r"[^>\s]", " ", lead)) if has_words(message) else Piece(text)
    yield Piece(source[len(lead) + len(text) :])


def _row(line: str) -> Iterator[Piece]:
    end = 0
    for cell in _CELL.finditer(line):
        text = cell[0].strip()
        if has_words(text):
            start = cell.start() + cell[0].index(text)
            yield Piece(line[end:start])
            yield Piece(text, text, "table cell")
            end = start + len(text)
    yield Piece(line[end:])
