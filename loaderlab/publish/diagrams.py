"""The texts of an SVG diagram, and the diagram in another language. All else in the file stays as it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape
from xml.sax.saxutils import escape

from loaderlab.publish import blocks
from loaderlab.publish.blocks import Piece

_SPEAKING = ("text", "tspan", "title", "desc")
_PART = re.compile(r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<[^>]*>|[^<]+", re.DOTALL)


def render(svg: str, translate: Callable[[str], str | None]) -> str:
    """Return the diagram with its texts translated; a text without a translation (None) stays as it was."""
    return blocks.render(split(svg), lambda text: None if (new := translate(text)) is None else escape(new))


def split(svg: str) -> Iterator[Piece]:
    """Yield the pieces of an SVG; a message for each text of a <text>, <tspan>, <title> or <desc>."""
    inside: list[str] = []
    for part in _PART.findall(svg):
        if part.startswith("</"):
            del inside[-1:]
        elif part.startswith("<"):
            if not part.startswith(("<!", "<?")) and not part.endswith("/>"):
                inside.append(re.split(r"[\s/>]", part[1:], maxsplit=1)[0])
        elif inside and inside[-1] in _SPEAKING and any(character.isalpha() for character in unescape(part)):
            text = part.strip()
            start = part.index(text)
            yield Piece(part[:start])
            yield Piece(text, " ".join(unescape(text).split()), "diagram")
            yield Piece(part[start + len(text) :])
            continue
        yield Piece(part)
