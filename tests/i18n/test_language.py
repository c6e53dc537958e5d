"""The reader's language: which one, what a catalog gives, numbers, and spaces that do not break."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polib
import pytest

from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES, number, read_catalog, speaking, translate, typography, use

NARROW, WIDE = "\u202f", "\u00a0"
HEADER = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    yield
    use("en")


def catalog(folder: Path, text: str, name: str = "fr") -> Path:
    path = folder / f"{name}.po"
    path.write_text(HEADER + text, "utf-8")
    return path


def test_a_message_is_said_in_the_language_in_use(tmp_path: Path) -> None:
    catalog(tmp_path, 'msgid "Wait: {n}"\nmsgstr "Attente: {n}"\n')
    use("fr", tmp_path)
    assert translate("Wait: {n}") == f"Attente{WIDE}: {{n}}"
    use("en", tmp_path)
    assert translate("Wait: {n}") == "Wait: {n}"


def test_what_is_missing_or_fuzzy_is_said_in_english(tmp_path: Path) -> None:
    catalog(
        tmp_path, '#, fuzzy\nmsgid "a"\nmsgstr "x"\n\nmsgid "b"\nmsgstr ""\n\n#~ msgid "c"\n#~ msgstr "z"\n'
    )
    use("fr", tmp_path)
    assert [translate(text) for text in ("a", "b", "c", "d")] == ["a", "b", "c", "d"]


def test_a_word_of_a_text_does_not_change_what_a_button_says(tmp_path: Path) -> None:
    said = '#: a/lesson.md\nmsgid "Measure"\nmsgstr "Ce qu’il faut mesurer"\n\n#: a/lesson.md a/scene.py\nmsgid "link"\nmsgstr "liaison"\n'
    language.use("fr", catalog(tmp_path, said).parent)
    assert (language.translate("Measure"), language.translate("link")) == ("Mesurer", "liaison")
    assert language.messages("fr", tmp_path)["Measure"] == "Ce qu’il faut mesurer"


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which catalogs were parsed, one entry each time."""
    found: list[str] = []

    def parse(text: str, **options: Any) -> polib.POFile:
        found.append(text)
        return pofile(text, **options)

    pofile = polib.pofile
    monkeypatch.setattr(polib, "pofile", parse)
    monkeypatch.setattr(language, "_catalogs", {})
    return found


def test_a_catalog_is_parsed_once_however_often_the_language_changes(
    tmp_path: Path, parsed: list[str]
) -> None:
    catalog(tmp_path, 'msgid "a"\nmsgstr "x"\n')
    for _time in range(3):
        for name in ("fr", "pl", "en"):
            use(name, tmp_path)
        assert language.messages("fr", tmp_path) == {"a": "x"}
    assert len(parsed) == 3, "the package's two, and that of the folder, for what is said and for prose"


@pytest.mark.parametrize("change", ["longer", "as long and later", "another file of the same size and time"])
def test_a_catalog_that_changed_is_read_again(tmp_path: Path, parsed: list[str], change: str) -> None:
    path = catalog(tmp_path, 'msgid "a"\nmsgstr "x"\n')
    use("fr", tmp_path)
    before, text = path.stat(), "longer" if change == "longer" else "y"
    if change.startswith("another"):
        (tmp_path / "beside").hardlink_to(path)  # so that the new file cannot get the number of the old one
        path.unlink()
    catalog(tmp_path, f'msgid "a"\nmsgstr "{text}"\n')
    later = 10**9 * change.endswith("later")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + later))
    use("fr", tmp_path)
    assert translate("a") == text


def test_a_catalog_that_is_deleted_or_added_is_noticed(tmp_path: Path) -> None:
    path = catalog(tmp_path, 'msgid "a"\nmsgstr "x"\n')
    assert language.messages("fr", tmp_path) == {"a": "x"}
    path.unlink()
    assert language.messages("fr", tmp_path) == {}
    catalog(tmp_path, 'msgid "a"\nmsgstr "y"\n')
    assert language.messages("fr", tmp_path) == {"a": "y"}


def test_who_changes_the_messages_changes_nobody_else_s(tmp_path: Path) -> None:
    catalog(tmp_path, 'msgid "a"\nmsgstr "x"\n')
    language.messages("fr", tmp_path).clear()
    assert language.messages("fr", tmp_path) == {"a": "x"}


def test_a_block_in_another_language_leaves_the_language_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "fr.po").write_text('msgid ""\nmsgstr ""\n\nmsgid "worker"\nmsgstr "ouvrier"\n')
    use("fr", tmp_path)
    with pytest.raises(ZeroDivisionError), speaking("en"):
        assert (translate("worker"), number(1.5, 1)) == ("worker", "1.5")
        raise ZeroDivisionError
    assert (translate("worker"), number(1.5, 1)) == ("ouvrier", "1,5")


def test_an_unknown_language_is_refused_and_changes_nothing() -> None:
    use("pl")
    with pytest.raises(LabError, match="'xx'.*" + ", ".join(LANGUAGES)):
        use("xx")
    assert language.current() == "pl"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('msgid "a\nmsgstr "b"\n', 4),
        ('msgid "a"\nmsgstr "b "c" d"\n', 5),
        ('msgid "a"\nnonsense\n', 5),
        ('msgid "a"\nmsgid "b"\nmsgstr "c"\n', 5),
    ],
)
def test_a_catalog_that_does_not_parse_names_file_and_line(tmp_path: Path, text: str, line: int) -> None:
    path = catalog(tmp_path, text)
    with pytest.raises(LabError, match=f"line {line}") as caught:
        read_catalog(path)
    assert str(path) in str(caught.value)


def test_a_message_translated_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="already exists"):
        read_catalog(catalog(tmp_path, 'msgid "a"\nmsgstr "b"\n\nmsgid "a"\nmsgstr "c"\n'))


def test_numbers_follow_the_language() -> None:
    assert number(12345.6, 1) == "12,345.6"
    use("fr")
    assert (number(12345.6, 1), number(4096), number(2.5, 1)) == (f"12{NARROW}345,6", "4096", "2,5")
    use("pl")
    assert (number(-1234567), number(0.125, 2)) == (f"\N{MINUS SIGN}1{WIDE}234{WIDE}567", "0,12")


@pytest.mark.parametrize(
    ("plain", "expected"),
    [
        ("Le GPU attend-il ? Oui ; voyez !", "Le GPU attend-il_? Oui_; voyez_!"),
        ("Quoi?! Durée: 45", "Quoi_?! Durée~: 45"),
        ("**Prérequis :** savoir", "**Prérequis~:** savoir"),
        ("l'effet de « voisin » d'`x` et d'**un**", "l’effet de «~voisin~» d’`x` et d’**un**"),
        ("8 Go, 95 %, {n} ms, {share:.0f} %", "8~Go, 95~%, {n}~ms, {share:.0f}~%"),
        ("10 000 images", "10_000 images"),
    ],
)
def test_french_typography(plain: str, expected: str) -> None:
    assert typography(plain, "fr") == expected.replace("_", NARROW).replace("~", WIDE)


@pytest.mark.parametrize(
    ("plain", "expected"),
    [
        ("w pamięci i w dysku", "w~pamięci i~w~dysku"),
        ("Z `num_workers` a {n} %", "Z~`num_workers` a~{n}%"),
        ("np. 10 000 obrazów, 8 GB", "np.~10~000 obrazów, 8~GB"),
    ],
)
def test_polish_typography(plain: str, expected: str) -> None:
    assert typography(plain, "pl") == expected.replace("~", WIDE)


@pytest.mark.parametrize("name", ["fr", "pl"])
@pytest.mark.parametrize(
    "kept",
    [
        "`a : b ? w x`",
        "``l'a ` ; b``",
        "```\nd'x = {a : 1} ; w y\n```",
        "$a : b ! w c$",
        "$$\na ; w b\n$$",
        "https://example.org/a?b=1;c:d",
        "{a!r}",
        '<b title="a : w b">',
        "&nbsp;",
        "](a;w:b)",
        ">>> f('a : b') ; w x",
    ],
)
def test_typography_leaves_code_and_addresses_alone(name: str, kept: str) -> None:
    assert kept in typography(f"début\n{kept}\nfin ; oui : i w domu", name)


def test_typography_applied_twice_changes_nothing() -> None:
    text = "L'hôte : `a` ; 10 000 Go « b » {n} % ? w domu i w lesie, np. 5 % z {n} %"
    for name in ("fr", "pl"):
        once = typography(text, name)
        assert typography(once, name) == once != text


def test_english_keeps_its_typography() -> None:
    assert typography("It's 5 % : w a ?", "en") == "It's 5 % : w a ?"
