"""The faults of a translation that a script can find: lost code and links, broken rules of style.

The rules are those of the course's translation style: they find slips, they do not judge prose.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import current, mark, typography
from loaderlab.i18n.language import translate as _
from loaderlab.i18n.languages import BY_CODE, TRANSLATIONS, Breach, Language

_CODE = re.compile(r"(?P<ticks>`+)(?!`)(.*?)(?<!`)(?P=ticks)(?!`)", re.DOTALL)
_FENCE = re.compile(r"^[ ]*(?P<fence>```+|~~~+).*?(?:^[ ]*(?P=fence)[`~]*|\Z)", re.DOTALL | re.MULTILINE)
_FORMULA = re.compile(r"\$\$.*?\$\$|\$(?!\s)[^$\n]+?(?<!\s)\$(?!\d)", re.DOTALL)
_LINK = re.compile(
    r"\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\)|(https?://[^\s<>)\]]*[^\s<>)\].,;:!?])"
)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_PLACEHOLDER = re.compile(r"\{[^{}]*\}|%\(\w+\)[sd]")
# One after the other: what a part has taken is not looked at by the next.
_PARTS = {
    mark("code"): _CODE,
    mark("formula"): _FORMULA,
    mark("link"): _LINK,
    mark("HTML tag"): _TAG,
    mark("placeholder"): _PLACEHOLDER,
}
_VERBS = ("`fork`", "`spawn`", "`forkserver`")
_NEUTRAL = "¤"  # stands where a part was: neither a letter nor a space

_WITH_VERSIONS = (
    r"Python\w*|PyTorch\w*|torch|CUDA|Jupyter\w*|ipywidgets|ipykernel|IPython|NumPy|Pillow|Linux|Ubuntu|PCIe|"
    r"CC BY|nbval|nbgrader|WebDataset"
)
_FACTOR = (re.compile(r"\b\d+(,\d+)?x\b"), mark("a factor written as 2x"))
_POINT = (re.compile(r"\d\.\d"), mark("a decimal point; prose has a decimal comma"))


def losses(english: str, translated: str) -> list[str]:
    """Return the code, formulas, links, tags and placeholders of its source that a translation lost or changed.

    It may set in code font what English uses as a verb or noun: "workers that fork", « les workers créés par `fork` ».
    """
    expected, got = _parts(_FENCE.sub(_NEUTRAL, english)), _parts(_FENCE.sub(_NEUTRAL, translated))
    found = []
    for part in _PARTS:
        missing, extra = sorted(expected[part] - got[part]), sorted(got[part] - expected[part])
        extra = [each for each in extra if each not in _VERBS]
        if missing or extra:
            found.append(
                _("{part}: missing {missing}, too much {extra}").format(
                    part=_(part), missing=", ".join(missing) or "–", extra=", ".join(extra) or "–"
                )
            )
    return found


def faults(translated: str, language: str) -> list[str]:
    """Return the rules of style that a translation breaks once typography has been applied, each with the place."""
    text, rules = prose(typography(translated, language)), BY_CODE[language]
    return [
        f"{meaning} (…{text[max(0, match.start() - 15) : match.end() + 15].strip()}…)"
        for pattern, meaning in _breaches(language, current())
        if (match := _first(pattern, text, rules))
    ]


@cache
def _breaches(code: str, _spoken: str) -> tuple[Breach, ...]:
    """Return the rules of a language, said in the language that is spoken."""
    language = BY_CODE[code]
    words = {'"': "…".join(language.quotes), **language.instead}
    return (
        *language.breaches,
        (_FACTOR[0], _(_FACTOR[1])),
        *([(_POINT[0], _(_POINT[1]))] if language.decimal == "," else []),
        *(
            (re.compile(f"(?i){word}"), _("here one writes: {instead}").format(instead=instead))
            for word, instead in words.items()
        ),
    )


def prose(text: str) -> str:
    """Return ``text`` with a neutral sign for each fence, code span, formula, address, tag and placeholder."""
    text = _FENCE.sub(_NEUTRAL, text)
    for pattern in _PARTS.values():
        # The bracket before a link's target belongs to the text of the link.
        text = pattern.sub(lambda match: "]" if match[0].startswith("](") else _NEUTRAL, text)
    return text


def unknown_words(texts: Iterable[str], language: str, allowed: Path) -> list[str]:
    """Return the words of ``texts`` that neither hunspell knows in that language nor the file ``allowed`` lists.

    Identifiers, acronyms and words in italics (English terms, given once) are not looked at.
    """
    # Each once: hunspell takes its time.
    each = {word for text in texts for word in _NO_WORD.sub(" ", prose(text)).replace("’", "'").split()}
    packages = " ".join(translation.dictionary_package for translation in TRANSLATIONS)
    try:
        done = subprocess.run(
            ["hunspell", "-i", "utf-8", "-d", BY_CODE[language].dictionary, "-l"],
            input="\n".join(sorted(each)).encode(),
            capture_output=True,
            timeout=120,
            check=False,
        )
    except FileNotFoundError:
        raise LabError(
            _(
                "hunspell is not installed. Install it with its dictionaries: `apt install {packages}`."
            ).format(packages=packages)
        ) from None
    if done.returncode:
        raise LabError(
            _("hunspell failed: {error}. Install its dictionaries: `apt install {packages}`.").format(
                error=done.stderr.decode("utf-8", "replace").strip(), packages=packages
            )
        )
    known = set(allowed.read_text("utf-8").split()) if allowed.is_file() else set()
    # To some dictionaries the full stop at the end of a sentence belongs to its last word.
    found = {word.rstrip(".") for word in done.stdout.decode("utf-8").split()}
    return sorted((word for word in found if not {word, word.lower()} & known), key=str.lower)


_NO_WORD = re.compile(
    r"(?<![*\w])\*[^*\s][^*\n]*\*(?!\*)|\b\w*[_\d]\w*\b|\b\w*[a-z][A-Z]\w*\b|\b\w+(?:\.\w+)+\b|\b\w+\(\)|"
    r"(?<![\w.])\.\w+|(?<!\w)[A-Z]{2,}s?(?!\w)|(?<!\w)--?\w[\w-]*|&\w+;"
)


def _first(pattern: re.Pattern[str], text: str, language: Language) -> re.Match[str] | None:
    """Return the first match that is not part of a version number: those keep their points in every language."""
    version = rf"(?:\b(?:{_WITH_VERSIONS}|{language.version})[ \u00a0]|[v.\d])$"
    for match in pattern.finditer(text):
        start = re.search(r"\d*$", text[: match.start()])
        assert start is not None
        before, after = text[: start.start()], text[match.end() :]
        if pattern is not _POINT[0] or not (re.search(version, before) or re.match(r"\d*\.\d", after)):
            return match
    return None


def _parts(text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for part, pattern in _PARTS.items():
        found[part] = {_value(match, part) for match in pattern.finditer(text)}
        text = pattern.sub(_NEUTRAL, text)
    return found


def _value(match: re.Match[str], part: str) -> str:
    return (match[1] or match[2]) if part == "link" else match[0]
