"""The entries of the languages: each is whole, and fit for what reads it."""

from __future__ import annotations

import codecs
import dataclasses
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loaderlab.i18n.languages import BY_CODE, SOURCE, TRANSLATIONS, Language
from loaderlab.teaching.grading.student import plain
from places import ROOT

OF_TRANSLATIONS = {"typography", "breaches", "instead"}  # the source needs none: it is written as it is meant


def empty(entry: Any) -> set[str]:
    """The fields of a language, and of what it consists of, that say nothing."""
    found = set()
    for field in dataclasses.fields(entry):
        value = getattr(entry, field.name)
        if dataclasses.is_dataclass(value):
            found |= empty(value)
        elif not value or (isinstance(value, tuple) and not all(value)):
            found.add(field.name)
    return found


@pytest.mark.parametrize("each", BY_CODE.values(), ids=BY_CODE)
def test_every_field_of_every_language_is_filled(each: Language) -> None:
    assert empty(each) - (OF_TRANSLATIONS if each is SOURCE else set()) == set()


def test_a_forgotten_field_is_found_wherever_it_stands() -> None:
    columns = dataclasses.replace(SOURCE.columns, grade="")
    assert empty(dataclasses.replace(SOURCE, minus="", quotes=("", "x"), columns=columns)) == {
        *("minus", "quotes", "grade"),
        *OF_TRANSLATIONS,
    }


@pytest.mark.parametrize("each", BY_CODE.values(), ids=BY_CODE)
def test_a_language_is_as_its_readers_need_it(each: Language) -> None:
    assert re.fullmatch("[a-z]{2}", each.code)
    assert each.decimal != each.csv_separator and each.decimal != each.group != "."
    for encoding in (each.csv_encoding, each.zip_encoding):
        assert codecs.lookup(encoding)
    words = (*each.nobody.split(), *dataclasses.astuple(each.columns))
    flat = [word for group in words for word in ([group] if isinstance(group, str) else group)]
    assert [word for word in flat if plain(word) != word] == [], "without accents and capitals"
    assert all(len(words.split()) == 2 for words in each.copies)


@pytest.mark.parametrize("each", TRANSLATIONS, ids=lambda each: each.code)
def test_every_pattern_of_a_language_can_be_used(each: Language) -> None:
    for pattern in (*each.nobody.split(), *each.instead, each.version):
        re.compile(pattern)


def test_the_languages_need_nothing_but_the_standard_library() -> None:
    """They run in a browser, and `.ci/run` reads them before anything is installed."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from loaderlab.i18n import language"
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)


def test_nothing_outside_has_a_table_of_languages() -> None:
    """A table that forgets a language is found when that language is used; one here is found by the tests above."""
    codes = "|".join(each.code for each in TRANSLATIONS)
    key = re.compile(rf"[\"'](?:{codes})[\"']")
    here = ROOT / "loaderlab" / "i18n" / "languages.py"
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted((ROOT / "loaderlab").rglob("*.py"))
        if path != here and "lessons" not in path.parts
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if key.search(line)
    ]
    assert found == []


def test_the_spelling_lists_are_those_of_the_translations() -> None:
    lists = {path.stem for path in (ROOT / "tests" / "publish").glob("spelling_*.txt")}
    assert lists <= {f"spelling_{each.code}" for each in TRANSLATIONS}


def test_the_first_page_of_the_website_has_a_link_to_each_language() -> None:
    from loaderlab.publish.website import with_languages

    page = with_languages(Path(ROOT, "docs", "site", "index.html").read_text("utf-8"))
    links = re.findall(r'<a href="(\w+)/index.html" lang="(\w+)">([^<]+)</a>', page)
    assert links == [(code, code, each.name) for code, each in BY_CODE.items()]
