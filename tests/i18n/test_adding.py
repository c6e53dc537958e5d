"""Adding a language, as CONTRIBUTING.md says: its steps, one after the other, in a copy of the checkout."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from copied import Copy
from loaderlab.i18n.language import read_catalog
from loaderlab.i18n.typography import apply
from places import ROOT

pytestmark = pytest.mark.minutes(3)

GERMAN = """
    Language(
        code="de",
        name="Deutsch",
        group=NARROW,
        decimal=",",
        minus="−",
        quotes=("„", "“"),
        typography=numbers(NARROW, "Bilder"),
        dictionary="de_DE",
        dictionary_package="hunspell-de-de",
        version=r"[Vv]ersion(?:en)?",
        breaches=((re.compile(r"daß"), "alte Rechtschreibung"),),
        instead={r"Stapelgröße": "Batchgröße"},
        csv_separator=";",
        csv_encoding="cp1252",
        zip_encoding="cp850",
        columns=Columns(
            identifier="id",
            full_names=("vollstandiger name",),
            names=("name",),
            first_names=("vorname",),
            last_names=("nachname",),
            grade="bewertung",
            maximum=("bestwertung",),
        ),
        copies=("kopie von", "neuer ordner"),
        nobody="kopie endfassung abgabe",
    ),
"""
# Stands for the kernels, which take minutes: a notebook has the outputs of the English one.
BUILD = """
import sys
from loaderlab import cli
from loaderlab.publish import checkout, execution, notebook

def carry(new, folder, where, environment):
    about, here = new.metadata["loaderlab"], checkout.here()
    assert about["language"] == "de", f"{where} is run again"
    [lesson] = [lesson for lesson in here.lessons if lesson.name == about["lesson"]]
    notebook.carry_outputs(new, notebook.read(here.notebook(lesson, "en", about["kind"])))
    return set()

execution.run = carry
sys.exit(cli.main(sys.argv[1:]))
"""
# Tests of the course that have a case for each language.
WHOLE = (
    "tests/i18n/test_languages.py",
    "tests/publish/test_style.py",
    "tests/notebook/test_stored.py",
    "tests/test_working_copy.py",
)
SPEAK = """
import loaderlab as lab
from loaderlab.i18n.language import number
lab.begin("warps", language="de")
print(number(-12345.5, 1))
lab.hint("nonsense")
"""


class Checkout(Copy):
    """A copy of the repository, and its commands."""

    def loaderlab(self, *words: str) -> list[str]:
        """The lines that the command printed; it may fail where it checks."""
        done = self.run("-c", BUILD, "--language", "en", *words)
        assert done.returncode == 0 or "--check" in words, done.stdout + done.stderr
        assert not done.stderr, done.stderr
        return done.stdout.splitlines()


@pytest.fixture
def checkout(tmp_path: Path, gettext: None, missing: Callable[[str], None]) -> Checkout:
    if not (ROOT / ".git").exists():
        missing("This is no checkout of git.")
    made = Checkout(tmp_path)
    made.environment.pop("CI", None)  # no machine has every dictionary
    return made


def steps() -> list[str]:
    """The numbered steps of the guide."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = text.partition("## Add a language\n")[2].partition("\n## ")[0]
    return [" ".join(step.split()) for step in re.findall(r"(?ms)^\d\. (.*?)(?=^\d\. |\n\n|\Z)", section)]


def commands(step: str) -> list[list[str]]:
    """The commands of ours that a step names."""
    return [words.split() for words in re.findall(r"`loaderlab ([^`]*)`", step)]


def files(step: str) -> list[str]:
    """The files of the new language that a step names."""
    return [name.replace("<language>", "de") for name in re.findall(r"`([\w/.<>]+\.(?:po|py))`", step)]


def translate(path: Path) -> None:
    """Give each message a translation that keeps what it must, and follows the rules of style."""
    rules = [
        (re.compile('"([^"]*)"'), r"„\1“"),
        (re.compile(r"(?<=\d)\.(?=\d)"), ","),
        (re.compile(r"(?<=\d)x\b"), "fach"),
        (re.compile("^"), "Auf Deutsch: "),
    ]
    catalog = read_catalog(path)
    assert catalog.untranslated_entries()
    for entry in catalog.untranslated_entries():
        entry.msgstr = apply(rules, entry.msgid)
    path.write_text(str(catalog), "utf-8")


@pytest.mark.long
def test_a_language_is_added_by_the_steps_of_the_guide_and_nothing_else(checkout: Checkout) -> None:
    entry, catalogs, translations, build = steps()

    [file] = files(entry)
    path = checkout.root / file
    text = path.read_text("utf-8")
    assert text.count("\n)\n\nBY_CODE") == 1
    path.write_text(text.replace("\n)\n\nBY_CODE", GERMAN.rstrip() + "\n)\n\nBY_CODE"), "utf-8")
    assert "[de]" in checkout.pytest("tests/i18n/test_languages.py", "-v").stdout

    [renew] = commands(catalogs)
    written = checkout.loaderlab(*renew)
    assert written and all(re.fullmatch(r"written: .*/de\.po", line) for line in written)

    package, lesson, readme = files(translations)
    lessons = sorted(checkout.root.glob(f"loaderlab/lessons/*/{lesson}"))
    for path in (checkout.root / package, *lessons, checkout.root / readme):
        translate(path)

    make, check = commands(build)
    checkout.loaderlab(*make)
    assert checkout.loaderlab(*check) == []
    for made in ("notebooks_de", "solutions/de"):
        assert len(list((checkout.root / made).glob("*.ipynb"))) == len(lessons)
    for page, link in (
        ("notebooks/03_warps.ipynb", "[Deutsch](../notebooks_de/03_warps.ipynb)"),
        ("README.md", "[Deutsch](README.de.md)"),
        ("README.de.md", "(notebooks_de/03_warps.ipynb)"),
    ):
        assert link in (checkout.root / page).read_text("utf-8"), page

    said = checkout.run("-c", SPEAK)
    assert "Auf Deutsch: " in said.stdout and "\N{MINUS SIGN}12\u202f345,5" in said.stdout
    assert "LabError: Auf Deutsch: " in said.stderr

    collected = checkout.pytest("tests/publish/test_setup.py", "--collect-only", "-q").stdout
    installing = [name for name in collected.splitlines() if re.search(r"\[(?:.*-)?de\b", name)]
    assert len(installing) >= 2, collected[-2000:]
    # What was translated here by rule is not spelt as a dictionary has it.
    ran = checkout.pytest(*WHOLE, *installing, "-k", "not spelt_right", "-v").stdout
    assert re.search(r"\d+ passed", ran) and not re.search("failed|error", ran.splitlines()[-1]), ran
    assert ran.count("[de]") >= 5
