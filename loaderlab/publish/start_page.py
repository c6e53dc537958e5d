"""The first page of the website: something that moves, whom the course helps, and three ways to go on."""

from __future__ import annotations

import re

from loaderlab.i18n.language import current
from loaderlab.i18n.language import translate as _
from loaderlab.publish import activity
from loaderlab.publish.checkout import EXERCISES, Checkout

MOVED, FROM, TO = "workers", 1, 5  # lesson, and the first of its knobs
_SHOWN = 'lab.explore("timeline").set(load_ms=40, step_ms=10, cores=8)'
_TABLE = re.compile(r"^\|[^|\n]+\|[^|\n]+\|\n\|---\|---\|\n(?:\|.*\|\n)+", re.MULTILINE)
_LESSON = re.compile(r"\((?:notebooks\w*)/(\w+\.ipynb)\)")
_PAGE = re.compile(r"\[([^\]]+)\]\((docs/[^)]+)\)")


def showcase(checkout: Checkout) -> str:
    """Return the explorer of lesson 1, whose first knob moves; empty where the course has no such lesson."""
    from loaderlab.i18n.language import speaking

    lesson = next((lesson for lesson in checkout.lessons if lesson.name == MOVED), None)
    if lesson is None:
        return ""
    with speaking(current(), lesson.folder):
        moves = [{"num_workers": n} for n in (*range(FROM + 1, TO + 1), FROM)]
        return activity.explorer(_SHOWN, lesson, set(), moves)


def symptoms(checkout: Checkout) -> list[str]:
    """Return the README's table of what goes wrong and where to look, under its heading."""
    readme = checkout.root / ("README.md" if current() == "en" else f"README.{current()}.md")
    text = readme.read_text("utf-8") if readme.is_file() else ""
    found = _TABLE.search(text)
    if found is None:
        return []
    heading = re.findall(r"^## .+$", text[: found.start()], re.MULTILINE)[-1:]
    table = _LESSON.sub(r"(\1)", found[0].strip())
    address = f"{checkout.repository}/blob/{checkout.ref}/"
    table = _PAGE.sub(rf"[\1]({address}\2)" if checkout.has_address else r"\1", table)
    return [*heading, table]


def ways(checkout: Checkout, first: str, played: int) -> list[str]:
    """Return the ways to go on; ``first`` is the page of the first lesson, ``played`` the number of exercises solved on pages."""
    here = _(
        "**Here, now:** [begin]({page}). Guesses, sliders and {count} exercises work on these pages; nothing is installed."
    )
    heading = _("Three ways to go on")
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
    says.append(_("**On your machine**, where you measure your own: in the folder of the course,"))
    clone = (
        f"git clone {checkout.repository} && cd {checkout.repository.rpartition('/')[2]}\n"
        if checkout.has_address
        else ""
    )
    lab = "make lab" if current() == "en" else f"make lab LESSONS_IN={current()}"
    return [*says, f"```console\n{clone}{lab}\n```"]
