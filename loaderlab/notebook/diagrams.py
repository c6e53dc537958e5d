"""The course's diagrams. They come from the package, because Colab fetches the notebook file and nothing else."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

from loaderlab.drawing import Picture
from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _

_HERE = Path(__file__).parents[1]
# In a wheel the images lie inside the package; in a checkout they lie beside it.
FOLDER = _HERE / "images" if (_HERE / "images").is_dir() else _HERE.parent / "images"


def diagram(name: str) -> Picture:
    """The diagram of that name in the notebook's language, and the text that stands for it; English where it has no other.

    It is shown as a PNG: JupyterLab shows no SVG of a notebook that it does not trust, and cuts one that is too wide.
    """
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
    text = unescape(" ".join(described.group(1).split())) if described else name
    return Picture(path.with_suffix(".png").read_bytes(), text)
