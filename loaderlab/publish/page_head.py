"""The head of a page of the website: its style, and what a link to it shows where it is shared.

The style stands in the page, so that nothing but the page has to come before it is painted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from loaderlab.i18n.language import LANGUAGES

_COMMENT, _SPACE, _AROUND = (
    re.compile(r"/\*.*?\*/", re.DOTALL),
    re.compile(r"\s+"),
    re.compile(r" ?([{};,]) ?"),
)


class Shared(NamedTuple):
    """The things that a shared link shows: a title, a sentence, and a picture of 1200 × 630 pixels, by its place in the website."""

    title: str
    description: str
    picture: str


def style(files: Sequence[Path]) -> str:
    """Return style sheets as one element, without what only their readers need."""
    sheet = _COMMENT.sub("", "\n".join(file.read_text("utf-8") for file in files))
    return f"<style>{_AROUND.sub(lambda mark: mark[1], _SPACE.sub(' ', sheet)).strip()}</style>"


def tags(shared: Shared, language: str, page: str, address: str) -> str:
    """Return the elements that say what ``page`` is about; ``address``: that of the website, empty where it has none.

    A shared picture has to be found from anywhere: without an address there is none.
    """
    return "".join(_tags(shared, language, page, address))


def _tags(shared: Shared, language: str, page: str, address: str) -> Iterator[str]:
    base = address.rstrip("/")
    yield f'<meta name="description" content="{escape(shared.description)}">'
    says = {
        "og:site_name": "Loader Lab",
        "og:type": "website",
        "og:title": shared.title,
        "og:description": shared.description,
    }
    if address:
        says |= {
            "og:url": f"{base}/{language}/{page}.html",
            "og:image": f"{base}/{shared.picture}",
            "og:image:width": "1200",
            "og:image:height": "630",
        }
        yield f'<link rel="canonical" href="{base}/{language}/{page}.html">'
        for code in LANGUAGES:
            yield f'<link rel="alternate" hreflang="{code}" href="{base}/{code}/{page}.html">'
    for name, content in says.items():
        yield f'<meta property="{name}" content="{escape(content)}">'
    yield f'<meta name="twitter:card" content="{"summary_large_image" if address else "summary"}">'
