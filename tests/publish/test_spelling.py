"""The words of the translations are in a dictionary, or in a list of good words beside this file."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from loaderlab import course
from loaderlab.i18n.language import LOCALE, messages
from loaderlab.i18n.languages import BY_CODE
from loaderlab.publish.checkout import TRANSLATIONS
from loaderlab.publish.style import prose

# Identifiers, acronyms and words in italics (English terms, given once) are not looked at.
_NO_WORD = re.compile(
    r"(?<![*\w])\*[^*\s][^*\n]*\*(?!\*)|\b\w*[_\d]\w*\b|\b\w*[a-z][A-Z]\w*\b|\b\w+(?:\.\w+)+\b|\b\w+\(\)|"
    r"(?<![\w.])\.\w+|(?<!\w)[A-Z]{2,}s?(?!\w)|(?<!\w)--?\w[\w-]*|&\w+;"
)


Speller = Callable[[Iterable[str], str], list[str]]


@pytest.fixture
def unknown_words(missing: Callable[[str], None]) -> Speller:
    """The words of texts that neither hunspell knows in that language nor its list has."""

    def found(texts: Iterable[str], language: str) -> list[str]:
        words = "\n".join(_NO_WORD.sub(" ", prose(text)).replace("’", "'") for text in texts)
        command = ["hunspell", "-i", "utf-8", "-d", BY_CODE[language].dictionary, "-l"]
        try:
            done = subprocess.run(command, input=words.encode(), capture_output=True, timeout=120, check=True)
        except (FileNotFoundError, subprocess.CalledProcessError) as error:
            missing(f"hunspell with {BY_CODE[language].dictionary_package}: {error}")
        # To some dictionaries the full stop at the end of a sentence belongs to its last word.
        unknown = {word.rstrip(".") for word in done.stdout.decode("utf-8").split()}
        listed = Path(__file__).parent / f"spelling_{language}.txt"
        good = set(listed.read_text("utf-8").split()) if listed.is_file() else set()
        return sorted(word for word in unknown if not {word, word.lower()} & good)

    return found


def test_the_speller_finds_a_misspelling_and_knows_what_is_listed(unknown_words: Speller) -> None:
    text = "Les workers chargent les immages, `nott_a_word`, *throughput*, num_workers, DataLoader, **GPU**."
    assert unknown_words([text], "fr") == ["immages"]
    assert unknown_words(["Procesy wczytujom dane"], "pl") == ["wczytujom"]


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_the_translations_are_spelt_right(language: str, unknown_words: Speller) -> None:
    folders = [LOCALE, *(lesson.folder for lesson in course.lessons())]
    assert (
        unknown_words((text for each in folders for text in messages(language, each).values()), language)
        == []
    )
