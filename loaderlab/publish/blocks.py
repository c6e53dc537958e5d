"""Markdown prose, split without loss into pieces: what is translated, and what is not.

The pieces of a text, put together again, are the text, byte for byte; so whatever the splitter does not
understand is at worst left in English, never damaged. Published Markdown round-trip tools all failed that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Piece:
    """A stretch of source. ``message`` is what a translator sees of it, or None where nothing is translated.

    Soft line breaks are spaces in the message: wrapping a paragraph differently must not cost its
    translation. ``kind`` tells the translator what it is; ``margin`` opens every further line of a
    translation.
    """

    text: str
    message: str | None = None
    kind: str = ""
    margin: str = ""


def split(markdown: str) -> list[Piece]:
    """Return the pieces of ``markdown``: headings, paragraphs, list items, table cells, and what lies between."""
    return list(_Splitter(markdown).pieces())


def render(pieces: list[Piece], translate: Callable[[str], str | None]) -> str:
    """Return the text with its messages translated; a message without a translation (None) stays as it was."""
    return "".join(piece.text if (new := _new(piece, translate)) is None else new for piece in pieces)


def _new(piece: Piece, translate: Callable[[str], str | None]) -> str | None:
    translated = None if piece.message is None else translate(piece.message)
    return None if translated is None else translated.replace("\n", "\n" + piece.margin)


# quotation marks, list markers and task boxes, in any nesting
_MARGIN = re.compile(
    r"(?:[ \t]*>[ ]?)*[ \t]*(?:(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)(?:\[[ xX]\][ \t]+)?(?:>[ ]?)*)*"
)
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_HEADING = re.compile(r"#{1,6}[ \t]+")
_RULE = re.compile(r"(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|=+[ \t]*|-+[ \t]*")
_FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,}|:{3,})")
_DELIMITERS = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_REFERENCE = re.compile(r"\[[^\]]+\]:\s")
_HTML = re.compile(
    r"</?(?:address|article|aside|blockquote|center|dd|details|div|dl|dt|figcaption|figure|footer|form|h[1-6]|"
    r"header|hr|iframe|li|link|main|nav|ol|p|pre|script|section|style|summary|svg|table|tbody|td|tfoot|th|thead|"
    r"tr|ul|video)\b|<!--",
    re.IGNORECASE,
)
_CELL = re.compile(r"(?:\\.|(`+)(?!`).*?(?<!`)\1(?!`)|[^|\\])+", re.DOTALL)
_SILENT = re.compile(
    r"(`+)(?!`).*?(?<!`)\1(?!`)|\$[^$]*\$|<[^>]*>|https?://\S+|\{[^{}]*\}|&\#?\w+;", re.DOTALL
)


def has_words(text: str) -> bool:
    """Return whether ``text`` says anything beside code, formulas, tags, addresses and placeholders."""
    return any(character.isalpha() for character in _SILENT.sub("", text))


class _Splitter:
    def __init__(self, markdown: str) -> None:
        self.lines = re.findall(r"[^\n]*\n|[^\n]+", markdown)  # str.splitlines knows too many line ends
        self.at = 0

    def pieces(self) -> Iterator[Piece]:
        content_column = 0  # where the text of the innermost list item begins; 0 outside lists
        after_blank = True
        while self.at < len(self.lines):
            line = self.lines[self.at]
            margin, content = self._parts(line)
            if not content:
                yield self._opaque(1)
                after_blank = True
                continue
            has_item = bool(_ITEM.search(re.sub(r"^[ \t>]*", "", margin)))
            indent = len(margin) - len(margin.lstrip(" \t"))
            if has_item:
                content_column = len(margin)
            elif after_blank and indent < content_column:
                content_column = 0
            if after_blank and not has_item and indent >= content_column + 4 and ">" not in margin:
                yield self._opaque(1)  # indented code
                continue
            after_blank = False
            opaque = self._opaque_lines(line, margin, content)
            if opaque:
                yield self._opaque(opaque)
            elif self._starts_table():
                yield from self._table()
            elif heading := _HEADING.match(content):
                yield from self._prose(1, margin + heading[0], "heading")
            else:
                yield from self._prose(
                    self._paragraph_lines(margin), margin, "list item" if has_item else "paragraph"
                )

    def _parts(self, line: str) -> tuple[str, str]:
        """Return the margin and the content of a line; a rule such as ``* * *`` is content, not three list markers."""
        bare = line.rstrip()
        quote = re.match(r"(?:[ \t]*>[ ]?)*[ \t]*", bare)
        assert quote is not None
        if _RULE.fullmatch(bare, quote.end()):
            return bare[: quote.end()], bare[quote.end() :]
        margin = _MARGIN.match(bare)
        assert margin is not None
        return margin[0], bare[margin.end() :]

    def _opaque(self, count: int) -> Piece:
        text = "".join(self.lines[self.at : self.at + count])
        self.at += count
        return Piece(text)

    def _opaque_lines(self, line: str, margin: str, content: str) -> int:
        """Return how many lines from here on are a block that nobody translates; 0 when prose begins here."""
        if fence := _FENCE.match(content):
            mark = f"{re.escape(fence[1][0])}{{{len(fence[1])},}}"
            return self._until(lambda text: bool(re.fullmatch(mark + r"[ \t]*", text)))
        if content.startswith("$$"):
            return 1 if content.count("$$") > 1 else self._until(lambda text: "$$" in text)
        if environment := re.match(r"\\begin\{(\w+\*?)\}", content):
            end = f"\\end{{{environment[1]}}}"
            return 1 if end in content else self._until(lambda text: end in text)
        if content.startswith("<!--"):
            return 1 if "-->" in content else self._until(lambda text: "-->" in text)
        if _HTML.match(content):
            return self._until(lambda text: not text, closing=0)
        if _RULE.fullmatch(content) or _REFERENCE.match(content):
            return 1
        return 0

    def _until(self, ends: Callable[[str], bool], closing: int = 1) -> int:
        for index in range(self.at + 1, len(self.lines)):
            if ends(self._bare(self.lines[index])):
                return index - self.at + closing
        return len(self.lines) - self.at

    @staticmethod
    def _bare(line: str) -> str:
        return re.sub(r"^[ \t>]*", "", line.rstrip())

    def _paragraph_lines(self, margin: str) -> int:
        """Return the number of lines of the paragraph that begins here."""
        depth, in_list = margin.count(">"), bool(_ITEM.search(margin))
        for index in range(self.at + 1, len(self.lines)):
            line = self.lines[index]
            next_margin, content = self._parts(line)
            bare = self._bare(line)
            item = _ITEM.match(bare)
            if (
                not content
                or next_margin.count(">") > depth
                or (item and (in_list or not bare[0].isdigit() or re.match(r"1[.)]", bare)))
                or _HEADING.match(content)
                or _RULE.fullmatch(bare)
                or _FENCE.match(content)
                or content.startswith(("$$", "\\begin{"))
                or _HTML.match(content)
            ):
                return index - self.at
        return len(self.lines) - self.at

    def _prose(self, count: int, lead: str, kind: str) -> Iterator[Piece]:
        source = "".join(self.lines[self.at : self.at + count])
        self.at += count
        text = source[len(lead) :].rstrip()
        first, *others = text.split("\n")
        message = first
        for line in others:  # two spaces or a backslash at the end of a line: a break that is meant
            message = (message + "\n" if message.endswith(("  ", "\\")) else message.rstrip() + " ") + (
                re.sub(r"^[ \t>]*", "", line).rstrip("\r")
            )
        yield Piece(lead)
        yield Piece(text, message, kind, re.sub(r"[^>\s]", " ", lead)) if has_words(message) else Piece(text)
        yield Piece(source[len(lead) + len(text) :])

    def _starts_table(self) -> bool:
        if self.at + 1 >= len(self.lines) or "|" not in self.lines[self.at]:
            return False
        delimiters = self._bare(self.lines[self.at + 1])
        return "|" in delimiters and bool(_DELIMITERS.fullmatch(delimiters))

    def _table(self) -> Iterator[Piece]:
        yield from self._row(self.lines[self.at])
        yield Piece(self.lines[self.at + 1])
        self.at += 2
        while self.at < len(self.lines) and "|" in self._bare(self.lines[self.at]):
            yield from self._row(self.lines[self.at])
            self.at += 1

    @staticmethod
    def _row(line: str) -> Iterator[Piece]:
        end = 0
        for cell in _CELL.finditer(line):
            text = cell[0].strip()
            if text and has_words(text):
                start = cell.start() + cell[0].index(text)
                yield Piece(line[end:start])
                yield Piece(text, text, "table cell")
                end = start + len(text)
        yield Piece(line[end:])
