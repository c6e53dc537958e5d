"""Python as a page of the website has it: the zip of a language, and nothing that is installed."""

from __future__ import annotations

from functools import cache
from typing import Any

from loaderlab import course
from loaderlab.publish.archive import archive
from loaderlab.publish.checkout import Checkout
from loaderlab.publish.solvable import answered
from places import ROOT


@cache
def zipped(language: str) -> bytes:
    """Return the zip that a page of this language takes into the browser."""
    return archive(Checkout(ROOT, tuple(course.lessons()), "", ""), language)


def ask(language: str, *questions: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the answers to these questions, one after the other in one process."""
    return answered(zipped(language), [{"language": language, **question} for question in questions])
