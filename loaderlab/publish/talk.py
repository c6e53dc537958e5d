"""A lesson told in about ten slides: what one can do at the end, four bets and what came of each, a myth, the take-away.

All of it is taken from a notebook with its outputs, so that nothing is written twice;
`jupyter nbconvert --to slides --Fitting.shows=talk` shows it (`fitting.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise

from nbformat import NotebookNode, v4

from loaderlab import course
from loaderlab.course import Lesson
from loaderlab.course.prediction import WHY
from loaderlab.i18n.language import speaking
from loaderlab.i18n.language import translate as _
from loaderlab.notebook.stored import without_views
from loaderlab.publish.notebook import CREDIT
from loaderlab.publish.predictions import COMPARED, DEEPER, FIELD, FOLD
from loaderlab.publish.slides import NOTES, SLIDE

BETS = 4
WORDS = 60  # of a slide, at most
TABLE = 100  # words of one that is looked at, not read
TWO_LINES = 28  # words
_PICTURES = ("image/png", "image/svg+xml")
_QUESTION = re.compile(r"^\*\*[^*]+\.\*\*\s")  # "Predict first" in any language
_MYTH = re.compile(r"^> \*\*[^*]+\*\* .+?\n>\n> \*\*[^*]+\*\* .+?(?=\n(?!>)|\Z)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^\s>])|\n\n")
_CLAUSE = re.compile(r"[,.;(](?:\s|$)|\s\(")
_ROW = re.compile(r"\n(?=- |\|)")


@dataclass
class Bet:
    """A question of a notebook and what its stored outputs answer; ``picture`` stands between the two, where there is one."""

    name: str
    heading: str
    asks: list[str]
    picture: NotebookNode | None = None
    card: NotebookNode = None
    why: str = ""


def told(notebook: NotebookNode) -> NotebookNode:
    """Return the slides of a lesson's notebook."""
    about = notebook.metadata["loaderlab"]
    lesson = course.lesson(about["lesson"])
    with speaking(about["language"], lesson.folder):
        way = list(_way(notebook.cells))
        prose = [_LINK.sub(r"\1", cell.source) for cell in way if cell.cell_type == "markdown"]
        title = prose[0].partition("\n")[0]
        cells = [_text(SLIDE, title, _promises(prose), _(CREDIT))]
        known = list(_bets(way))
        chosen = sorted(sorted(known, key=lambda bet: bet.picture is None)[:BETS], key=known.index)
        myths = [myth for text in prose for myth in _MYTH.findall(text)]
        # One that a slide has room for, else the shortest; behind a bet of which it speaks, where there is one.
        of_bets = " ".join(bet.why for bet in chosen)
        myth = min(myths, key=lambda each: (max(WORDS, _words(each)), each not in of_bets), default="")
        for bet in chosen:
            cells += _slides(bet, lesson)
            if myth and myth in bet.why:
                cells.append(_text(SLIDE, _whole(myth, WORDS)))
        if myth not in of_bets:
            cells.append(_text(SLIDE, _whole(myth, WORDS)))
        *kept, last = _take_away([text for text in prose if text.startswith("## ")][-1])
        cells.append(_text(SLIDE, *kept, last))
        if last[:1] not in "|-":  # but a sentence: it speaks of the lesson's picture
            shown = (cell.outputs[:1] for cell in way if cell.source.startswith("lab.diagram("))
            cells += map(_output, next(shown, ()))
    return v4.new_notebook(cells=cells, metadata=notebook.metadata)


def _way(cells: Iterable[NotebookNode]) -> Iterator[NotebookNode]:
    """Yield the cells that all go through: neither notes nor what goes deeper, be it a section or a fold."""
    collapsed = 0  # the level of the heading below which the cells are
    for cell in cells:
        heading = re.match(r"#+(?= )", cell.source) if cell.cell_type == "markdown" else None
        if heading and (not collapsed or len(heading[0]) <= collapsed):
            collapsed = len(heading[0]) if "jp-MarkdownHeadingCollapsed" in cell.metadata else 0
        deeper = cell.source.startswith("<details>") and f"<b>{_(WHY)}</b>" not in cell.source
        if not (collapsed or deeper or cell.metadata.get("slideshow", {}).get("slide_type") == NOTES):
            yield cell


def _bets(cells: Iterable[NotebookNode]) -> Iterator[Bet]:
    section, asks, bet = "", list[str](), None
    for cell in cells:
        if cell.cell_type == "markdown":
            text = _LINK.sub(r"\1", cell.source)
            section = text.partition("\n")[0] if text.startswith("## ") else section
            parts = text.split("\n\n")
            if asking := [number for number, part in enumerate(parts) if _QUESTION.match(part)]:
                asks = parts[: asking[-1] + 1]
            if bet and bet.card and text.startswith("<details>"):
                bet.why = FOLD.sub("", text)
                yield bet
                bet = None
        elif (field := FIELD.search(cell.source)) and asks:
            bet, asks = Bet(field[1], section, asks), []
        elif bet:
            shown = [output for output in cell.outputs if set(_PICTURES) & set(output.get("data", {}))]
            if shown and not (bet.picture and bet.card):  # what was measured, rather than what explains it
                bet.picture = shown[-1]
            if (compared := COMPARED.search(cell.source)) and compared[1] == bet.name:
                cards = (output for output in cell.outputs if "text/html" in output.get("data", {}))
                bet.card = next(cards, None)


def _slides(bet: Bet, lesson: Lesson) -> Iterator[NotebookNode]:
    """Yield the cells of two slides: what is asked, and what came."""
    asked = lesson.predictions()[bet.name]
    options = [] if asked.is_curve else [_(option) for option in asked.places or asked.choices.values()]
    shown = [bet.asks[-1], "\n".join(f"- {option}" for option in options)]
    before = "\n\n".join(part for part in bet.asks[:-1] if not part.startswith("#"))
    room = WORDS - _words(" ".join(shown))
    starts = [0, *(found.end() for found in _SENTENCE.finditer(before))]
    given = next((before[at:] for at in starts if _words(before[at:]) <= room), "")
    if any(map(str.isdigit, given)):  # the figures from which the answer follows
        shown.insert(0, given)
    yield _text(SLIDE, bet.heading or f"## {asked.label}", *shown)
    came = [line.strip() for line in bet.card.data["text/plain"].split("\n")[1:]]
    yield _text(SLIDE, f"## {asked.label}", f"### {' · '.join(came)}" if bet.picture else "")
    yield _output(bet.picture or bet.card)
    yield _text("-", _why(bet.why))


def _text(slide_type: str, *parts: str) -> NotebookNode:
    return v4.new_markdown_cell("\n\n".join(filter(None, parts)), metadata=_metadata(slide_type))


def _output(output: NotebookNode) -> NotebookNode:
    output = deepcopy(output)
    without_views(output)
    return v4.new_code_cell(outputs=[output], metadata=_metadata("-", transient={"remove_source": True}))


def _metadata(slide_type: str, **more: object) -> dict[str, object]:
    return {"slideshow": {"slide_type": slide_type}, "tags": ["talk"], **more}


def _promises(prose: list[str]) -> str:
    """Return the first list of a lesson, without what goes deeper, and the line above it: what one can do at the end."""
    parts = "\n\n".join(prose).split("\n\n")
    line, items = next(pair for pair in pairwise(parts) if pair[0][:2] == "**" and pair[1][:2] == "- ")
    deeper = _(DEEPER).split("{title}")[0].strip(" :–\xa0").lower()
    return "\n".join([f"{line}\n", *(item for item in _ROW.split(items) if deeper not in item[:25].lower())])


def _take_away(text: str) -> Iterator[str]:
    """Yield a heading and what stands below it: a paragraph, or the items of a list, the rows of a table, for which a slide has room."""
    heading, first, *rest = text.split("\n\n")
    yield heading
    if first.endswith(":"):
        yield first
        first = rest[0]
    shown, room = "", TABLE if first.startswith("|") else WORDS
    for row in _ROW.split(first):
        if _words(shown + row) <= room:
            shown += f"{row}\n"
    yield shown


def _why(text: str) -> str:
    """Return how an explanation begins: its first sentences, as many as two lines hold, or what each item of a list begins with.

    Where it is nothing but a myth, the fact is meant.
    """
    plain = _MYTH.sub("", text).strip() or text.rpartition("** ")[2]
    if plain.startswith("- "):
        items = _ROW.split(plain.split("\n\n")[0])
        return " ".join(_CLAUSE.split(item, maxsplit=1)[0].strip("- ") + "." for item in items)
    return _whole(plain, TWO_LINES)


def _whole(text: str, words: int) -> str:
    """Return the sentences with which a text begins, one at least, and no more than so many words."""
    ends = [*(found.start() for found in _SENTENCE.finditer(text)), len(text)]
    return text[: max((end for end in ends if _words(text[:end]) <= words), default=ends[0])].strip()


def _words(text: str) -> int:
    return sum(any(map(str.isalnum, word)) for word in text.split())
