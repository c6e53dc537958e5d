"""How the lessons, the README and the pages for learners are to read: words in a sentence, and turns of phrase that are hard at B2.

`python tools/sentences.py [-v] [FILE…]` prints a row for each text; with `-v`, the sentences that were counted. It sees what a
program can: inversions, ellipses, nouns made of a clause ("what is compared"). Whether a sentence is clear, only a reader can say.
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

_VERB = r"(?:is|are|was|were|has|have|does|do|can|must|will|stands?|lies?|comes?|goes|shows?|says?|explains?|begins?)"
# A turn of phrase, by what it is called.
TURNS = {
    # "Next to every rate belongs its limit", "Here stands a table", "Not until then does it load"
    "inversion": re.compile(
        rf"^(?:(?:Here|There|Below|Above|Next to|Beside|Between|Behind|After|From|In|On|To|Of|With|At|Under)\b[^,;:.?!]*? "
        rf"(?:stands?|lies?|comes?|goes|belongs?|follows?|remains?) (?:the|a|an|its|their|one|two|what|all)\b"
        rf"|(?:Not|Nor|Only|Never|So|Neither|Nowhere|Rarely|Hardly) (?:[^,;:.?!]*? )?(?:is|are|was|were|has|have|does|do|did|can|must|will) (?:it|the|a|an|its|they|that|this|one|you)\b"
        rf"|What [^,;:.?!]*?, [^,;:.?!]+ (?:says?|explains?|shows?|measures?|decides?|tells?)[.:])"
    ),
    # "What must not is printed", "What is compared must run alike", "Whoever skips it misses it"
    "clause as subject": re.compile(
        rf"^(?:And |But |So )?(?:What|Whatever|Whoever|Whichever|Who|Where|How|When)\b(?! (?:is|are|does|do|can|will|was|has|would) (?:the|it|this|your|a|an|that|they|you)\b)(?=[^,?]* (?:{_VERB})\b[^,?]* (?:{_VERB})\b)[^,?]*[.;:]$"
    ),
    # "…, and so does the other", "as fast as without", "the first batch apart"
    "ellipsis": re.compile(
        r"(?:\b(?:than|as|and|or) (?:with|without)\b[.,;:?]|\b(?:than|as \w+ as) (?:with|without)\b(?! \w+)|, (?:the|each) [\w ]{3,20} apart\b|\b(?:and|nor|neither|so) (?:does|do|is|are|has|can|must) (?:the|its|their|it)\b(?! \w+ed)|\bwhat must not\b|\btakes (?:here )?what it takes\b|\bas (?:is|are|does) (?:the|its)\b"
        r"|^(?:As|Else|Likewise|Hence)\b[^,]{0,25}, (?:not|no)\b|: (?:none|neither|both)\.$)"
    ),
}


def sentences(markdown: str) -> Iterator[str]:
    """Yield the sentences of Markdown prose: of paragraphs and list items, not of tables, headings and code."""
    for piece in blocks.split(markdown):
        if piece.message is None or piece.kind not in ("paragraph", "list item"):
            continue
        text = re.sub(r"\*\*|(?<!\w)\*|\*(?!\w)|\[|\]", "", style.prose(piece.message).replace("\\n", " "))
        yield from filter(None, map(str.strip, re.split(r"(?<=[.?!:])[”\")]*\s+(?=[A-Z¤“\"(])", text)))


def turns(sentence: str) -> list[str]:
    """Return the names of the hard turns of phrase in a sentence."""
    return [name for name, pattern in TURNS.items() if pattern.search(sentence)]


def texts(files: list[Path]) -> Iterator[tuple[str, list[str]]]:
    """Yield each text's name and its sentences: of all lessons and pages for learners where no files are named."""
    if files:
        yield from ((path.name, list(sentences(path.read_text("utf-8")))) for path in files)
        return
    for lesson in course.lessons():
        cells = (cell.source for cell in source.read(lesson).cells if not cell.is_code)
        yield lesson.name, [sentence for cell in cells for sentence in sentences(cell)]
    for path in (ROOT / "README.md", ROOT / "docs" / "scripts.md"):
        yield path.name, list(sentences(path.read_text("utf-8")))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="print the sentences that were counted, too"
    )
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args()
    head = ["sentences", "words each", f"over {LONG}", *TURNS]
    print(f"{'':22}" + "".join(f"{name:>20}" for name in head))
    for name, found in texts(options.files):
        words = [len(sentence.split()) for sentence in found]
        hard = [(sentence, turns(sentence)) for sentence in found]
        counts = [sum(turn in named for _sentence, named in hard) for turn in TURNS]
        row = [len(found), round(mean(words), 1), sum(count > LONG for count in words), *counts]
        print(f"{name:22}" + "".join(f"{value:>20}" for value in row))
        if options.verbose:
            for (sentence, named), count in zip(hard, words, strict=True):
                if named or count > LONG:
                    print(f"    [{', '.join([*named, *(['long'] if count > LONG else [])])}] {sentence}")


if __name__ == "__main__":
    main()
