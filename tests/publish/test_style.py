"""What a script can say of a translation."""

from __future__ import annotations

import pytest

from loaderlab.publish import style

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
