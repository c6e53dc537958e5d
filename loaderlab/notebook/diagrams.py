"""The course's diagrams. They come from the package, because Colab fetches the notebook file and nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from loaderlab.words import language
from loaderlab.words.errors import LabError
from loaderlab.words.language import translate as _

_HERE = Path(__file__).parents[1]
# In a wheel the images lie inside the package; in a checkout they lie beside it.
FOLDER = _HERE / "images" if (_HERE / "images").is_dir() else _HERE.parent / "images"


@dataclass(frozen=True)
class Diagram:
    """An SVG that a notebook shows, and the text that stands for it where it cannot be seen."""

    svg: str
    text: str

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> tuple[dict, dict]:
        return {"image/svg+xml": self.svg, "text/plain": self.text}, {"image/svg+xml": {"alt": self.text}}


def diagram(name: str) -> Diagram:
    """The diagram of that name in the notebook's language; English where it has not been translated."""
    here = FOLDER if language.current() == "en" else FOLDER / language.current()
    path = next((p for p in (here / f"{name}.svg", FOLDER / f"{name}.svg") if p.is_file()), None)
    if path is None:
        known = ", ".join(sorted(p.stem for p in FOLDER.glob("*.svg")))
        raise LabError(
            _("There is no diagram {name!r}. The diagrams are: {known}. Use one of these names.").format(
                name=name, known=known
            )
        )
    svg = path.read_text(encoding="utf-8")
    described = re.search(r"<desc[^>]*>(.*?)</desc>", svg, re.DOTALL) or re.search(
        r"<title[^>]*>(.*?)</title>", svg
    )
    return Diagram(svg, unescape(" ".join(described.group(1).split())) if described else name)
