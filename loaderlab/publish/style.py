"""The faults of a translation that a script can find: lost code and links, broken rules of style.

The rules are those of the course's translation style: they find slips, they do not judge prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from loaderlab.i18n.language import mark, typography
from loaderlab.i18n.language import translate as _
from loaderlab.i18n.languages import BY_CODE, Breach, Language

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
        for pattern, meaning in _breaches(rules)
        if (match := _first(pattern, text, rules))
    ]


def _breaches(language: Language) -> Iterator[Breach]:
    yield from language.breaches
    yield _FACTOR[0], _(_FACTOR[1])
    if language.decimal == ",":
        yield _POINT[0], _(_POINT[1])
    quotes = "…".join(language.quotes)
    for word, instead in {'"': quotes, **language.instead}.items():
        yield re.compile(f"(?i){word}"), _("here one writes: {instead}").format(instead=instead)


def prose(text: str) -> str:
    """Return ``text`` with a neutral sign for each fence, code span, formula, address, tag and placeholder."""
    text = _FENCE.sub(_NEUTRAL, text)
    for pattern in _PARTS.values():
        # The bracket before a link's target belongs to the text of the link.
        text = pattern.sub(lambda match: "]" if match[0].startswith("](") else _NEUTRAL, text)
    return text


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
