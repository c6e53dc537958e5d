"""How the lessons, the README and the pages for learners read: words in a sentence, and turns of phrase that are hard at B2.

`python tools/sentences.py [-v] [FILE…]` prints a row for each text, and with `-v` the sentences that it counted. It sees what a
program can: a verb before its subject ("Next to every rate belongs its limit"), a clause as a subject ("What is compared must
run alike"), words left out ("as fast as without", "the first batch apart"). Whether a sentence is clear, only a reader can say.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

from loaderlab import course
from loaderlab.publish import blocks, source, style

ROOT = Path(__file__).resolve().parent.parent
LONG = 30  # words

_PLACE = r"(?:Here|There|Below|Above|Next to|Beside|Between|Behind|After|From|In|On|To|Of|With|At|Under|Among|Into)"
_COMES = r"(?:stands?|lies?|comes?|goes|belongs?|follows?|remains?|counts?)"
_HELPS = r"(?:is|are|was|were|has|have|does|do|did|can|must|will)"
_NOUN = r"(?:it|the|a|an|its|their|they|that|this|one|two|you|what|all)"
TURNS = {
    "inversion": (
        rf"^{_PLACE}\b[^,;:.?!]*? {_COMES} {_NOUN}\b",
        rf"^(?:Not|Nor|Only|Never|Neither|Nowhere|Hardly)\b [^,;:.?!]*?\b{_HELPS} {_NOUN}\b",
        rf"[,;] (?:and so|nor|neither|and neither) {_HELPS}\b",
        r"^What [^,;:.?!]*, [^,;:.?!]+ (?:says|explains|shows|tells|decides)[.;:]",
        rf"^Into [^,;:.?!]* {_NOUN} {_HELPS} not\b",
    ),
    "clause as subject": (
        r"^(?:And |But |So )?(?:[Ww]hat|[Ww]hatever|[Ww]hoever|[Ww]hichever)\b[^?]*[.:;!]$",
        r"; (?:what|whatever|whoever|whichever) [^,;?]* (?:is|are|takes?|makes?|has|have|stays?) ",
        r": whoever ",
    ),
    "ellipsis": (
        r"\b(?:than|as) (?:with|without)\b(?: is\b|[.,;:?])",
        r"\b(?:the first|one|two|each) (?:\w+ )?(?:batch|batches) apart\b|\bapart, (?:into|and)\b",
        r"\b(?:stands?|kept|shown|runs?) apart\b",
        r"\bwhat must not\b|\btakes here what\b|\bboth are for\b|\bcheck is content\b",
        r"\bon one without\b|^Once the [^,]{1,20} is content",
        r"^(?:Else|Shuffled|Less than \w+)\b[:,]? (?!often)",
    ),
}


def sentences(markdown: str) -> Iterator[str]:
    """Yield the sentences of Markdown prose: of paragraphs and list items, not of tables, headings and code."""
    for piece in blocks.split(markdown):
        if piece.message is not None and piece.kind in ("paragraph", "list item"):
            text = re.sub(r"\*\*|(?<!\w)\*|\*(?!\w)|[\[\]]", "", style.prose(piece.message))
            yield from filter(None, map(str.strip, re.split(r"(?<=[.?!])[”\")]*\s+(?=[A-Z¤“\"(])", text)))


def turns(sentence: str) -> list[str]:
    """Return the names of the hard turns of phrase in a sentence."""
    return [name for name, patterns in TURNS.items() if any(re.search(each, sentence) for each in patterns)]


def texts(files: list[Path]) -> Iterator[tuple[str, list[str]]]:
    """Yield each text's name and its sentences: of all lessons and pages for learners where no files are named."""
    for path in files or [ROOT / "README.md", ROOT / "docs" / "scripts.md"]:
        yield path.name, list(sentences(path.read_text("utf-8")))
    for lesson in () if files else course.lessons():
        cells = (cell.source for cell in source.read(lesson).cells if not cell.is_code)
        yield lesson.name, [sentence for cell in cells for sentence in sentences(cell)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="print the sentences that it counted, too"
    )
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args()
    head = ["sentences", "words each", f"over {LONG}", "longest", *TURNS]
    print(f"{'':20}" + "".join(f"{name:>19}" for name in head))
    for name, found in texts(options.files):
        words = [len(sentence.split()) for sentence in found]
        hard = [turns(sentence) for sentence in found]
        counts = [sum(turn in named for named in hard) for turn in TURNS]
        row = [len(found), round(mean(words), 1), sum(count > LONG for count in words), max(words), *counts]
        print(f"{name:20}" + "".join(f"{value:>19}" for value in row))
        if options.verbose:
            for sentence, named, count in zip(found, hard, words, strict=True):
                if named or count > LONG:
                    print(f"    [{', '.join([*named, *(['long'] if count > LONG else [])])}] {sentence}")


if __name__ == "__main__":
    main()
