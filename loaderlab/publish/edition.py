"""An edition: a lesson in one language, with all that its notebooks are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from loaderlab.i18n.language import messages
from loaderlab.publish import catalog, code, diagrams
from loaderlab.publish.catalog import Message
from loaderlab.publish.checkout import Checkout
from loaderlab.publish.source import Source


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
        """Return the ingredients of the outputs beside the notebook's code and its messages: the lesson's Python, recordings, diagrams.

        The package's own code is not among them: mending it must not run the whole course again. Nor is the lesson's
        `__init__.py`, which says its minutes and needs.
        """
        modules = sorted(self.source.lesson.folder.glob("*.py"))
        return [
            *(code.essence(path.read_text("utf-8")) for path in modules if path.name != "__init__.py"),
            *(path.read_text("utf-8") for path in self.source.lesson.recordings),
            *(self.diagram(name) for name in self.source.diagrams),
        ]


def edition(checkout: Checkout, source: Source, language: str, found: Sequence[Message]) -> Edition:
    """Return the edition of a lesson from the catalogs on disk; ``found``: the messages of lesson and package."""
    lesson, package = messages(language, source.lesson.folder), messages(language, checkout.locale)
    said = frozenset((package | lesson).get(message.text, message.text) for message in found)
    return Edition(checkout, source, language, lesson, package, said)
