"""What a script can say of a translation."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from loaderlab import publish
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.languages import BY_CODE
from loaderlab.publish import style
from loaderlab.publish.checkout import TRANSLATIONS

pytestmark = pytest.mark.usefixtures("english")

ENGLISH = "See [it](https://a.b/c), `num_workers`, $x^2$, {n:.1f} and <kbd>Enter</kbd>."


def test_a_translation_may_reorder_what_it_keeps() -> None:
    assert style.losses(ENGLISH, "<kbd>Enter</kbd> {n:.1f} $x^2$ `num_workers` [ici](https://a.b/c)") == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("https://a.b/c", "https://a.b/d", "link"),
        ("`num_workers`", "num_workers", "code"),
        ("`num_workers`", "`workers`", "code"),
        ("$x^2$", "$x^3$", "formula"),
        ("{n:.1f}", "{n}", "placeholder"),
        ("<kbd>Enter</kbd>", "Enter", "HTML tag"),
    ],
)
def test_a_translation_must_not_lose_or_change(old: str, new: str, said: str) -> None:
    (loss,) = style.losses(ENGLISH, ENGLISH.replace(old, new))
    assert loss.startswith(said)


def test_code_font_for_what_english_uses_as_a_verb_is_no_loss_and_for_anything_else_it_is() -> None:
    assert style.losses("workers that fork", "des workers créés par `fork`") == []
    (loss,) = style.losses("workers that fork", "des `workers`")
    assert "`workers`" in loss


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("fr", "Il vaut 2.5 secondes."),
        ("fr", "C'est 2x plus rapide."),
        ("fr", 'Le "voisin"'),
        ("fr", "une librairie"),
        ("fr", "la taille de lot"),
        ("fr", "Vous devriez voir"),
        ("pl", "To trwa 2.5 sekundy."),
        ("pl", "kopia - tak"),
        ("pl", 'efekt "sąsiada"'),
        ("pl", "w PyTorch"),
        ("pl", "Jeśli zrobiłeś to"),
        ("pl", "pracownik"),
        ("pl", "batch'y i worker'a"),
    ],
)
def test_a_breach_of_style_is_found(language: str, text: str) -> None:
    assert style.faults(text, language)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("fr", 'Durée : 5 % ; l\'hôte attend-il ? `f("a : b", 2.5)` avec Python 3.14, torch 2.13.0 et v1.2'),
        ("pl", 'W domu i w lesie 95 %, `a - "b" 2.5`, Python 3.14, w PyTorchu – 2,5 sekundy'),
    ],
)
def test_what_typography_mends_and_what_is_code_is_no_breach(language: str, text: str) -> None:
    assert style.faults(text, language) == []


def spelled(words: Callable[[], list[str]], missing: Callable[[str], None]) -> list[str]:
    if shutil.which("hunspell") is None:
        missing("hunspell is not installed")
    try:
        return words()
    except LabError as error:
        missing(str(error))
        raise


def test_the_speller_finds_a_misspelling_and_knows_what_is_allowed(
    tmp_path: Path, missing: Callable[[str], None]
) -> None:
    allowed = tmp_path / "words.txt"
    allowed.write_text("workers\n")
    text = "Les workers chargent les immages, `nott_a_word`, *throughput*, num_workers, DataLoader, **GPU**."
    assert spelled(lambda: style.unknown_words([text], "fr", allowed), missing) == ["immages"]
    assert (
        spelled(lambda: style.unknown_words(["Procesy wczytujom dane"], "pl", allowed), missing)[0]
        == "wczytujom"
    )


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_the_translations_are_spelt_right(language: str, missing: Callable[[str], None]) -> None:
    assert spelled(lambda: publish.spelling(language), missing) == []


def test_without_hunspell_the_author_is_told_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    packages = " ".join(BY_CODE[language].dictionary_package for language in TRANSLATIONS)
    with pytest.raises(LabError, match=f"apt install {packages}"):
        style.unknown_words(["mot"], "fr", tmp_path / "none")
