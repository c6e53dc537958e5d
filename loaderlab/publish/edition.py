"""An edition: a lesson in one language, with all that its notebooks are made of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from loaderlab.i18n.language import messages
from loaderlab.publish import catalog, code, diagrams
from loaderlab.publish.catalog import Message
from loaderlab.publish.checkout import Checkout
from loaderlab.publish.source import Source

# What a lesson's cells come to without naming it.
PARTS = ("names", "scene", "questions", "predictions", "case")


@dataclass(frozen=True)
class Edition:
    """A lesson in one language. ``lesson_texts`` and ``package_texts`` map English to the language.

    ``messages``: all that its notebooks can say, in the language.
    """

    checkout: Checkout
    source: Source
    language: str
    lesson_texts: dict[str, str]
    package_texts: dict[str, str]
    messages: frozenset[str]

    def say(self, text: str) -> str:
        """Return a text of the package itself, in the language of the edition."""
        return self.package_texts.get(text, text)

    @property
    def title(self) -> str:
        """The lesson's title, in the language of the edition."""
        return self.lesson_texts.get(self.source.title, self.source.title)

    def diagram(self, name: str) -> str:
        """Return a diagram of the lesson, in the language of the edition: the SVG."""
        svg = catalog.read_diagram(self.checkout.images / f"{name}.svg")
        return diagrams.render(svg, self.lesson_texts.get)

    def ingredients(self) -> list[str]:
        """Return the ingredients of the outputs beside the notebook's code and its messages.

        These are recordings, diagrams, the lesson's Python that its cells and parts come to, and of exercises what a card
        says of an answer that is untouched or right: how they are judged changes no output. The package's own code is not
        among them: mending it must not run the whole course again. Nor is the lesson's `__init__.py`, which says its
        minutes and needs.
        """
        exercises = self.source.lesson.exercises().values()
        return [
            *(code.essence(text) for text in self._reached()),
            *(path.read_text("utf-8") for path in self.source.lesson.recordings),
            *(self.diagram(name) for name in self.source.diagrams),
            *(f"{each.name}: {c.points} {c.says}" for each in exercises for c in each.criteria),
        ]

    def _reached(self) -> list[str]:
        """Return the modules of the lesson whose names stand in a code cell, in a part of it, or in a module that is reached."""
        unread = {path.stem: path.read_text("utf-8") for path in self.source.lesson.folder.glob("*.py")}
        for judging in ("__init__", "exercises", "probes"):
            unread.pop(judging, None)
        reached: dict[str, str] = {}
        texts = [*(cell.source for cell in self.source.cells if cell.is_code), *PARTS]
        while texts:
            text = texts.pop()
            for name in [name for name in unread if re.search(rf"\b{name}\b", text)]:
                reached[name] = unread.pop(name)
                texts.append(reached[name])
        return [reached[name] for name in sorted(reached)]


def edition(checkout: Checkout, source: Source, language: str, found: Sequence[Message]) -> Edition:
    """Return the edition of a lesson from the catalogs on disk; ``found``: the messages of lesson and package."""
    lesson, package = messages(language, source.lesson.folder), messages(language, checkout.locale)
    said = frozenset((package | lesson).get(message.text, message.text) for message in found)
    return Edition(checkout, source, language, lesson, package, said)
