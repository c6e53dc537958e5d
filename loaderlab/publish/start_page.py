"""The first page of the website: what it asks, whom it helps, what its lessons promise, and the ways to go on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from loaderlab.course.markup import inline
from loaderlab.i18n.language import current
from loaderlab.i18n.language import translate as _
from loaderlab.publish.checkout import EXERCISES, Checkout

_TABLE = re.compile(r"^\|[^|\n]+\|[^|\n]+\|\n\|---\|---\|\n(?:\|.*\|\n)+", re.MULTILINE)
_LESSON = re.compile(r"\((?:notebooks\w*)/(\w+\.ipynb)\)")


def title() -> str:
    """Return the question of the course, which is the title of its first page."""
    return _("Why does your GPU wait?")


def lead() -> str:
    """Return the sentences that a shared link shows of the course."""
    return _(
        "A GPU that waits for data costs as much as one that computes. Find out why yours waits: bet, measure on your own "
        "machine, explain."
    )


def whom() -> str:
    """Return whom the course is for, and what it takes."""
    return _(
        "**For you**, if you train models with PyTorch, or teach people who do. You need a laptop but no GPU, and on "
        "these pages no installation."
    )


def begin(first: str) -> str:
    """Return the link that stands out: to the first lesson, whose page is ``first``."""
    words = _("Begin the first lesson")
    return f'<p class="go"><a href="{first}.html">{escape(words)}</a></p>'


def list_of(lessons: Iterable[tuple[str, str, str, str]]) -> str:
    """Return the list of lessons, each with page, title, what one can do at its end, and minutes."""
    items = (
        f'<li><a href="{page}.html"><b>{inline(name)}</b></a><p>{inline(promise)}</p><small>{escape(minutes)}&nbsp;min</small></li>'
        for page, name, promise, minutes in lessons
    )
    return f'<ol class="lessons" start="0">{"".join(items)}</ol>'


def symptoms(checkout: Checkout) -> list[str]:
    """Return the README's table of what goes wrong and where to look, under its heading."""
    readme = checkout.root / ("README.md" if current() == "en" else f"README.{current()}.md")
    text = readme.read_text("utf-8") if readme.is_file() else ""
    found = _TABLE.search(text)
    if found is None:
        return []
    heading = re.findall(r"^## .+$", text[: found.start()], re.MULTILINE)[-1:]
    return [*heading, _LESSON.sub(r"(\1)", found[0].strip())]


def ways(checkout: Checkout, first: str, played: int) -> list[str]:
    """Return the ways to go on; ``first`` is the page of the first lesson, ``played`` the number of exercises solved on pages."""
    here = _(
        "**Here, now:** [begin]({page}). Guesses, sliders and {count} exercises work on these pages; nothing is installed."
    )
    heading = _("Ways to go on")
    says = [f"## {heading}", here.format(page=f"{first}.ipynb", count=played)]
    lesson = checkout.lessons[0]
    if colab := checkout.colab(checkout.notebook(lesson, current(), EXERCISES)):
        says.append(
            _("**In Colab**, with nothing to install: [open the first lesson]({address}).").format(
                address=colab
            )
        )
    else:
        says.append(
            _("**In Colab**, with nothing to install: with the badge that each lesson has in the repository.")
        )
    says.append(_("**On your machine**, to measure it: in the folder of the course, run"))
    clone = (
        f"git clone {checkout.repository} && cd {checkout.repository.rpartition('/')[2]}\n"
        if checkout.has_address
        else ""
    )
    own = _(
        "**With a loader of your own**, and no time for a course: `diagnose` says what limits it, and what to change."
    )
    lab = "make lab" if current() == "en" else f"make lab LESSONS_IN={current()}"
    diagnose = ".venv/bin/loaderlab diagnose train.py:make_loader"
    return [*says, f"```console\n{clone}{lab}\n```", own, f"```console\n{diagnose}\n```"]
