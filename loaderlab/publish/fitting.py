"""A lesson laid out for the wall: cells are taken apart until every slide has room for what is on it.

nbconvert runs this preprocessor (templates/slides/conf.json) on its copy of the notebook. Heights are estimated,
on the safe side, in pixels of a slide of 1280 × 720;
templates/slides/static/custom_reveal.css has the same sizes.
"""

from __future__ import annotations

import math
import re
import struct
from base64 import b64decode
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode, v4
from traitlets import Enum

from loaderlab.notebook.stored import without_views
from loaderlab.publish import talk
from loaderlab.publish.predictions import FOLD
from loaderlab.publish.slides import FRAGMENT, NOTES, SKIP, SLIDE, SUBSLIDE

WIDTH, HEIGHT = 1180, 650  # px, of what is on a slide
LINE, GAP = 33, 14  # px, of a line of prose and of the space below a block
# px, the width of a character in prose, where lines break between words: that of DejaVu Sans, a wide font, which many
# Linux systems show for Helvetica and Arial.
LETTER, MONO = 12.7, 13.4
HEADINGS = {"h1": (48, 23.0), "h2": (42, 19.5), "h3": (36, 16.0)}  # px: a line, a character
CELL_LINE, CELL_LETTER, CELL_GAP = 28, 10.4, 34  # px, in a table
CODE_LINE, CODE_GAP, CODE_COLUMNS = 24, 30, 104
TEXT_LINE, TEXT_GAP, TEXT_COLUMNS = 22, 24, 118
PICTURE_WIDTH, PICTURE_HEIGHT = 1100, 560  # px, at most

_MARKDOWN = MarkdownIt("commonmark").enable("table")


@dataclass
class Part:
    """A cell, or a part of one, that stays on one slide; ``height`` in px."""

    cell: NotebookNode
    height: float


class Fitting(Preprocessor):
    """Takes the cells of a notebook apart; what does not fit below what is on the slide begins a new one."""

    shows = Enum(("lesson", "talk"), "lesson", help="The whole lesson, or ten slides to talk by.").tag(
        config=True
    )

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        nb = deepcopy(nb)
        # For the head of the page.
        resources["language_code"] = nb.metadata.get("loaderlab", {}).get("language", "en")
        nb.metadata["title"] = nb.cells[0].source.partition("\n")[0].removeprefix("# ")
        if self.shows == "talk":
            return talk.told(nb), resources
        cells: list[NotebookNode] = []
        room = 0.0
        for cell in nb.cells:
            kind = cell.metadata.get("slideshow", {}).get("slide_type", SUBSLIDE)
            if kind in (SKIP, NOTES):
                cells.append(cell)
                continue
            parts = list(_parts(cell))
            for number, part in enumerate(parts):
                # Code and what it prints stay together where one slide has room for both.
                together = sum(each.height for each in parts[number:])
                needed = together if cell.cell_type == "code" and together <= HEIGHT else part.height
                if (number == 0 and kind in (SLIDE, SUBSLIDE)) or needed > room:
                    shown_as = kind if number == 0 and kind == SLIDE else SUBSLIDE
                    room = HEIGHT
                elif number and cell.cell_type == "markdown":
                    cells[-1].source += part.cell.source
                    room -= part.height
                    continue
                else:
                    shown_as = FRAGMENT
                part.cell.metadata["slideshow"] = {"slide_type": shown_as}
                cells.append(part.cell)
                room -= part.height
        for number, cell in enumerate(cells):
            cell.id = f"slide-{number}"
        nb.cells = cells
        return nb, resources


def _parts(cell: NotebookNode) -> Iterator[Part]:
    if cell.cell_type == "markdown":
        for text, height in _blocks(FOLD.sub("", cell.source)):  # a slide waits by itself
            yield Part(v4.new_markdown_cell(text), height)
        return
    if cell.source.count("\n") > 1 or not any(_height_to_width(output) for output in cell.outputs):
        # Else all that the code says is which picture to show.
        for text, lines in _chunks(cell.source, CODE_COLUMNS, (HEIGHT - CODE_GAP) // CODE_LINE):
            yield Part(
                v4.new_code_cell(text, execution_count=cell.execution_count), lines * CODE_LINE + CODE_GAP
            )
    for output in cell.outputs:
        for shown, height in _shown(output):
            alone = v4.new_code_cell(outputs=[shown], execution_count=cell.execution_count)
            alone.metadata["transient"] = {"remove_source": True}
            yield Part(alone, height)


def _chunks(text: str, columns: int, limit: int) -> Iterator[tuple[str, int]]:
    """Yield text in stretches of at most ``limit`` lines as shown, of ``columns``, and how many lines each has.

    A stretch ends at an empty line where there is one.
    """
    lines = text.strip("\n").split("\n")
    while lines:
        shown, end = 0, 0
        while end < len(lines) and shown + _rows(lines[end], columns) <= limit:
            shown += _rows(lines[end], columns)
            end += 1
        end = max(end, 1)
        if end < len(lines):
            empty = [number for number in range(end // 3, end) if not lines[number].strip()]
            end = empty[-1] if empty else end
        taken = lines[:end]
        yield "\n".join(taken), sum(_rows(line, columns) for line in taken)
        lines = lines[end:]
        while lines and not lines[0].strip():
            lines = lines[1:]


def _rows(line: str, columns: int) -> int:
    return max(1, math.ceil(len(line) / columns))


def _shown(output: NotebookNode) -> Iterator[tuple[NotebookNode, float]]:
    """Yield an output as it is shown, in as many slides as its text needs, with its height in px."""
    output = deepcopy(output)
    data = output.get("data", {})
    without_views(output)  # an explorer shows the picture that is stored beside it
    ratio = _height_to_width(output)
    if ratio is not None:
        yield output, min(PICTURE_WIDTH * ratio, PICTURE_HEIGHT) + TEXT_GAP
        return
    text = output.get("text") or data.get("text/plain", "")
    if "text/html" in data:  # a card, set as prose; one that is too long comes as its text
        rows = sum(_rows(line, int(WIDTH / LETTER)) for line in text.split("\n"))
        if (height := LINE * (rows + 2) + TEXT_GAP) <= HEIGHT:
            yield output, height
            return
        del data["text/html"]
    limit = (HEIGHT - TEXT_GAP) // TEXT_LINE
    for piece, lines in _chunks(text, TEXT_COLUMNS, limit):
        some = deepcopy(output)
        if "text" in some:
            some.text = piece
        else:
            some.data["text/plain"] = piece
        yield some, lines * TEXT_LINE + TEXT_GAP


def _height_to_width(output: NotebookNode) -> float | None:
    """Return the shape of a picture; None where the output is none."""
    data = output.get("data", {})
    if "image/png" in data:
        width, height = struct.unpack(">II", b64decode(data["image/png"][:64])[16:24])
        return height / width
    if svg := data.get("image/svg+xml"):
        box = re.search(r'viewBox="\S+ \S+ (\S+) (\S+)"', svg)
        return float(box[2]) / float(box[1]) if box else 1.0
    return None


def _blocks(markdown: str) -> Iterator[tuple[str, float]]:
    """Yield the blocks of a text, and their heights in px; put together again they are the text.

    A heading, or a line that ends with a colon, stays with what it stands above; a list can be cut between items.
    A table or a listing that is too long for one slide comes in pieces.
    """
    lines = markdown.split("\n")
    blocks = list(_top_level(_MARKDOWN.parse(markdown)))
    starts = [inner[0].map[0] if inner[0].map else 0 for inner in blocks]
    heading, above = "", 0.0
    for inner, start, end in zip(blocks, starts, [*starts[1:], len(lines)], strict=True):
        for text, height in _pieces(inner, lines[start:end], HEIGHT - above):
            text, height = heading + text, above + height
            heading, above = "", 0.0
            if inner is not blocks[-1] and (inner[0].type == "heading_open" or text.rstrip().endswith(":")):
                heading, above = text, height
            else:
                yield text, height


def _pieces(block: list[Token], lines: list[str], room: float) -> Iterator[tuple[str, float]]:
    """Yield a block whole where it has room, else in pieces: a table with its head on each, a listing fenced."""
    height = _height(block)
    kind = block[0].type
    if height <= room or kind not in ("table_open", "fence"):
        yield "\n".join(lines) + "\n", height
        return
    lines = [line for line in lines if line.strip()] if kind == "table_open" else lines
    if kind == "fence":
        opening, closing = lines[0], block[0].markup
        for text, shown in _chunks(block[0].content, CODE_COLUMNS, int(room - CODE_GAP) // CODE_LINE):
            yield f"{opening}\n{text}\n{closing}\n\n", shown * CODE_LINE + CODE_GAP
        return
    head, rows = lines[:2], _row_heights(block)
    taken, used = list(head), rows[0] + CELL_GAP
    for line, row in zip(lines[2:], rows[1:], strict=False):
        if used + row > room:
            yield "\n".join(taken) + "\n\n", used
            taken, used, room = list(head), rows[0] + CELL_GAP, HEIGHT
        taken.append(line)
        used += row
    yield "\n".join(taken) + "\n\n", used


def _top_level(tokens: list[Token]) -> Iterator[list[Token]]:
    """Yield the blocks that a slide can end after: what stands outside lists, and the items of lists."""
    depth = 0
    inner: list[Token] = []
    for token in tokens:
        is_list = token.type.endswith(("_list_open", "_list_close"))
        if is_list and depth == 0 and not inner:
            continue
        inner.append(token)
        depth += token.nesting
        if depth == 0:
            if not is_list:
                yield inner
            inner = []


def _height(tokens: list[Token]) -> float:
    """Return the px of a block: its headings, paragraphs, code and tables, one below the other."""
    if tokens[0].type == "table_open":
        return sum(_row_heights(tokens)) + CELL_GAP
    height, margins = 0.0, 0
    for before, token in zip([tokens[0], *tokens[:-1]], tokens, strict=True):
        if token.type in ("list_item_open", "blockquote_open"):
            margins += 1
        elif token.type in ("list_item_close", "blockquote_close"):
            margins -= 1
        elif token.type in ("fence", "code_block"):
            height += CODE_GAP + CODE_LINE * sum(
                _rows(line, CODE_COLUMNS) for line in token.content.rstrip().split("\n")
            )
        elif token.type == "html_block":
            height += LINE * token.content.count("\n")
        elif token.type == "inline":
            line, letter = HEADINGS.get(before.tag, (LINE, LETTER))
            width = _length(token) * letter
            height += math.ceil(width / (WIDTH - 45 * margins)) * line + GAP
    return height


def _length(inline: Token) -> float:
    """Return the length of a text as shown, without marks and addresses, in characters of prose."""
    parts = inline.children or []
    return sum(
        len(part.content) * (MONO / LETTER if part.type == "code_inline" else 1) or 1 for part in parts
    )


def _row_heights(tokens: list[Token]) -> list[float]:
    """Return the px of each row of a table, whose columns share the width by their longest cells."""
    rows: list[list[float]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(_length(token) * CELL_LETTER)
    longest = [max(column) for column in zip(*rows, strict=True)]
    room = (WIDTH - 24 * len(longest)) / max(sum(longest), 1)
    share = min(room, 1.0)
    lines = (
        max(math.ceil(cell / max(share * column, 1)) for cell, column in zip(row, longest, strict=True))
        for row in rows
    )
    return [count * CELL_LINE + 11 for count in lines]
