"""The reader's language: catalogs, numbers, typography.

English is the source. The other languages come from PO files: ``locale/<language>.po`` for the
package, and ``<language>.po`` in a lesson's folder for the lesson. They are read as they are, without a
compiled copy that could lag behind. How each language writes is in ``languages.py``.
"""

from __future__ import annotations

import json
import locale
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.languages import BY_CODE, Language
from loaderlab.i18n.typography import apply

if TYPE_CHECKING:
    import polib

LANGUAGES: dict[str, str] = {code: each.name for code, each in BY_CODE.items()}
LOCALE = Path(__file__).parent / "locale"
# Environment variable: a file to which every process adds what it says, a JSON string a line. `loaderlab build` sets it
# for the kernel, and so learns on which messages the outputs of a notebook depend.
SAID = "LOADERLAB_SAID"
HINT = "hint"  # what a catalog says of a hint, which stands in lesson.md and is said by Python

_language = "en"
_messages: dict[str, str] = {}
_said: set[str] = set()


def use(language: str, *catalogs: Path) -> None:
    """Speak ``language`` from now on: the package's messages and those of each folder in ``catalogs``.

    Raises :class:`LabError` for a language that the course does not have, and for a PO file that does
    not parse; the language spoken before stays.
    """
    global _language, _messages
    if language not in LANGUAGES:
        raise LabError(
            translate(
                "There is no language {language!r}. The languages are: {known}. Use one of these."
            ).format(language=language, known=", ".join(LANGUAGES))
        )
    _language, _messages = language, messages(language, LOCALE, *catalogs, prose=False)


def speak(language: str, known: dict[str, str]) -> None:
    """Speak ``language`` from now on with messages that were read already: where there are no catalogs, as in a browser."""
    global _language, _messages
    _language, _messages = language, known


@contextmanager
def speaking(language: str, *catalogs: Path) -> Iterator[None]:
    """Speak ``language`` within the block (see :func:`use`), for what is written in one language whatever the reader's."""
    global _language, _messages
    before = _language, _messages
    use(language, *catalogs)
    try:
        yield
    finally:
        _language, _messages = before


def of_system() -> str:
    """Return the language of this system if the course has it, else English."""
    name = (locale.getlocale()[0] or "").lower()
    return next((code for code in LANGUAGES if name.startswith(code)), "en")


def current() -> str:
    """Return the language spoken now: a key of ``LANGUAGES``."""
    return _language


def spoken() -> Language:
    """Return the language spoken now, with all that is particular to it."""
    return BY_CODE[_language]


def translate(message: str) -> str:
    """Return ``message`` in the language spoken now; in English where it has no finished translation."""
    text = _messages.get(message, message)
    if SAID in os.environ and text not in _said:
        _said.add(text)
        with open(os.environ[SAID], "a", encoding="utf-8") as file:
            file.write(json.dumps(text) + "\n")
    return text


def mark(message: Any) -> Any:
    """Return ``message`` itself, or a dict of such: it tells the catalogs that this text, translated later, is a message."""
    return message


def messages(language: str, *folders: Path, prose: bool = True) -> dict[str, str]:
    """Return English -> ``language``, from the PO file of each folder that has one; the last folder wins.

    Only finished translations (neither fuzzy nor obsolete), with the typography of the language. Without ``prose``, only
    what Python says: the head of a column in a text is not the word on a button.
    """
    found: dict[str, str] = {}
    for folder in folders:
        catalog = _catalog(folder / f"{language}.po", language)
        found |= {english: text for english, (text, is_prose) in catalog.items() if prose or not is_prose}
    return found


# Path of a catalog -> how it was when it was parsed, and its finished translations (see `_catalog`). Parsing takes
# 45 ms, and a grader changes the language twice for each answer.
_catalogs: dict[Path, tuple[tuple[int, ...], dict[str, tuple[str, bool]]]] = {}


def _catalog(path: Path, language: str) -> dict[str, tuple[str, bool]]:
    """Return English -> its finished translation, and whether that stands in prose only; empty where there is no such file.

    The file is parsed again when it has changed. Raises :class:`LabError` where it does not parse.
    """
    try:
        status = path.stat()
    except OSError:
        return {}
    # A build replaces catalogs by others, perhaps of the same size and within one tick of the file system's clock.
    stamp = status.st_mtime_ns, status.st_size, status.st_ino
    known = _catalogs.get(path)
    if known is None or known[0] != stamp:
        entries = read_catalog(path).translated_entries()
        finished = {one.msgid: (typography(one.msgstr, language), _is_prose(one)) for one in entries}
        known = _catalogs[path] = (stamp, finished)
    return known[1]


def _is_prose(entry: polib.POEntry) -> bool:
    files = [file for file, _line in entry.occurrences]
    return bool(files) and entry.comment != HINT and not any(file.endswith(".py") for file in files)


def read_catalog(path: Path) -> polib.POFile:
    """Return the PO file at ``path``; raises :class:`LabError`, with file and line, when it does not parse."""
    import polib

    try:
        text = path.read_text("utf-8")
        for count, content in enumerate(text.split("\n"), 1):
            if not _PO_LINE.fullmatch(content):  # polib drops a message whose quote is not closed
                raise ValueError(f"(line {count}): " + translate("quotes do not match"))
        catalog = polib.pofile(text)
        # polib's own check compares each entry with all others, which takes half as long as reading them.
        seen: set[tuple[str | None, str]] = set()
        for entry in (entry for entry in catalog if not entry.obsolete):
            if (entry.msgctxt, entry.msgid) in seen:
                raise ValueError(f"(line {entry.linenum}): {entry.msgid!r} already exists")
            seen.add((entry.msgctxt, entry.msgid))
        return catalog
    except (OSError, ValueError) as error:  # polib reports a syntax error as OSError
        line = re.search(r"\(?line (\d+)\)?", str(error))
        raise LabError(
            translate(
                "The translations in {file}, line {line}, cannot be read: {error}. Expected: a valid PO file "
                "in UTF-8. Mend that line, or restore the file from git; `msgfmt --check {file}` says more."
            ).format(file=path, line=line[1] if line else "?", error=str(error).strip())
        ) from None


_PO_LINE = re.compile(r'\s*|#(?!~).*|(?:#~?\|?\s*)?(?:msg\w+(?:\[\d\])?\s*)?"(?:[^"\\]|\\.)*"\s*')


def number(value: float, digits: int = 0) -> str:
    """Return ``value`` as the language writes it, in groups of three digits from 10 000 up."""
    python = f"{value:,.{digits}f}" if abs(value) >= 10_000 else f"{value:.{digits}f}"
    way = spoken()
    return python.translate({ord(","): way.group, ord("."): way.decimal, ord("-"): way.minus})


def typography(text: str, language: str) -> str:
    """Return ``text`` with the spaces and apostrophes of ``language``, by its rules; applying them twice changes nothing.

    What is no prose (code, formulas, addresses, tags, ``{placeholders}``) is left alone.
    """
    rules = BY_CODE[language].typography
    return apply(rules, text) if rules else text


def with_colon(text: str) -> str:
    """Return ``text`` and a colon, as the language spoken now sets it."""
    return typography(f"{text}:", _language)
