"""The tools of authors: from lesson.md and its translations to the notebooks that are committed.

``build`` writes what the sources give, ``check`` says where what is committed is not that, and ``spelling``
lists the words of the translations that no dictionary has.

`press.py` builds: it writes notebooks and pages from the sources. `limits.py` and `review.py` check: what a lesson
may hold and must have, and whether what is committed is what the sources give, with what stored pictures, tables and
comparisons say (`pictures.py`, `tables.py`, `decided.py`). `checkout.py` knows where everything lies, `notebook.py`
has the cells, `bootstrap_cell.py` the first of them, which installs the package in Colab, `edition.py` a lesson in
one language. Recordings of a lap, one run of all lessons on a machine with a GPU (`recording.py`, `lap.py`,
`replays.py`), and of a case (`case_recording.py`); the address (`repository.py`); what is generated in pages
(`regions.py`), the first page (`readme.py`, `showcase.py`), what lesson 0 says of the others (`signposts.py`); slides
(`slides.py` says what is one, `fitting.py` and `templates/` lay them out); the website (`website.py` makes pages of
notebooks, `start_page.py` the first one, with the bet of `first_bet.py`; `page_head.py` has style and what a shared
link shows, `share_picture.py` draws its picture; `still.py` keeps the room of what a script brings; `activity.py`
says what a reader does on a page, `stored_results.py` what a notebook measured; `archive.py` packs the Python that a
page takes along, `registry.py` fetches Pyodide and the editor, `policy.py` says what a page may load; docs/site/ says
how pages look, and has their scripts).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.publish.checkout import Checkout, here

if TYPE_CHECKING:
    from loaderlab.publish.lap import Ran

__all__ = ["attempt", "build", "check", "record", "record_cases", "spelling"]


def build(names: Sequence[str] = (), force: bool = False, only_catalogs: bool = False) -> None:
    """Build the lessons of these names, or all: catalogs, diagrams, notebooks, the READMEs and their pictures, parts of `docs/`.

    A notebook is run only when its code, its lesson's Python or what it said changed, or with ``force``; with
    ``only_catalogs`` the catalogs alone are renewed.
    Raises :class:`LabError` where a source is wrong or a cell fails; files already written are whole.
    """
    from loaderlab.publish import press

    checkout = here()
    press.build(checkout, _known(checkout, names), force, only_catalogs=only_catalogs)


def check(names: Sequence[str] = ()) -> list[str]:
    """Return the problems of sources and committed files, one line each, with its file and its cure.

    Misspelt words are among them where hunspell is installed.
    """
    from loaderlab.publish import limits, review
    from loaderlab.publish.checkout import TRANSLATIONS

    checkout = here()
    chosen = _known(checkout, names)
    found = [*limits.problems(checkout, chosen), *review.problems(checkout, chosen)]
    with suppress(LabError):  # no hunspell, or none with these dictionaries
        found += [each for language in TRANSLATIONS for each in _misspelt(checkout, language)]
    return found


def record(names: Sequence[str] = ()) -> list[Path]:
    """Run the lessons of these names, or all, and keep what their benchmarks measured; returns the files.

    A recording names the device that it was made on, and replaces the older one of that device. Nothing is
    kept of a lesson that does not run to its end.
    """
    from loaderlab.publish import press

    checkout = here()
    return press.record(checkout, _known(checkout, names))


def record_cases(names: Sequence[str], rounds: int) -> list[Path]:
    """Measure the cases of the lessons of these names, or of all; returns the files."""
    from loaderlab.publish import case_recording

    checkout = here()
    chosen = _known(checkout, names)
    found = [case_recording.record(lesson, rounds) for lesson in checkout.lessons if lesson.name in chosen]
    return [path for path in found if path is not None]


def attempt(out: Path, names: Sequence[str] = ()) -> list[Ran]:
    """Run the lessons of these names, or all, and go on after a cell that fails; returns what the GPU cells did.

    ``out`` gets the recordings, the executed notebooks and the summary; see :func:`loaderlab.publish.lap.run`.
    """
    from loaderlab.publish import lap

    checkout = here()
    return lap.run(checkout, _known(checkout, names), out)


def spelling(language: str) -> list[str]:
    """Return the words of the translations that neither a dictionary nor ``spelling_<language>.txt`` has."""
    from loaderlab.i18n.language import messages
    from loaderlab.publish import style

    checkout = here()
    texts = (
        messages(language, checkout.locale).values(),
        *(messages(language, lesson.folder).values() for lesson in checkout.lessons),
    )
    allowed = Path(__file__).parent / f"spelling_{language}.txt"
    return style.unknown_words((text for group in texts for text in group), language, allowed)


def _misspelt(checkout: Checkout, language: str) -> Iterator[str]:
    from loaderlab.i18n.language import messages

    folders = (checkout.locale, *(lesson.folder for lesson in checkout.lessons))
    for word in spelling(language):
        having = (
            folder for folder in folders if any(word in text for text in messages(language, folder).values())
        )
        yield _("{file}: no dictionary has {word!r}. Correct it, or add it to {allowed}.").format(
            file=checkout.name(next(having, folders[0]) / f"{language}.po"),
            word=word,
            allowed=checkout.name(checkout.package / "publish" / f"spelling_{language}.txt"),
        )


def _known(checkout: Checkout, names: Sequence[str]) -> list[str]:
    known = [lesson.name for lesson in checkout.lessons]
    for name in names:
        if name not in known:
            raise LabError(
                _("There is no lesson {name!r}. The lessons are: {known}. Use one of these names.").format(
                    name=name, known=", ".join(known)
                )
            )
    return list(names) or known
