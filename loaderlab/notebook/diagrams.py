"""The course's diagrams. They come from the package, because Colab fetches the notebook file and nothing else."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path
from typing import Any

from loaderlab.drawing import Bitmap, Picture
from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _

_HERE = Path(__file__).parents[1]
# In a wheel the images lie inside the package; in a checkout they lie beside it.
FOLDER = _HERE / "images" if (_HERE / "images").is_dir() else _HERE.parent / "images"


@dataclass(frozen=True)
class Diagram:
    """A diagram as the SVG that it is, and the text that stands for it."""

    svg: str
    text: str

    def _repr_mimebundle_(self, **_options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        source = base64.b64encode(self.svg.encode()).decode()
        image = f'<img alt="{escape(self.text)}" src="data:image/svg+xml;base64,{source}" style="max-width: 100%">'
        return {"text/html": image, "text/plain": self.text}, {}


def diagram(name: str) -> Picture | Diagram:
    """Return the diagram of that name in the notebook's language, and the text that stands for it; English where it has no other.

    In a checkout it is shown as a PNG, which stays in the stored notebook: GitHub shows no SVG of it, and JupyterLab cuts
    one that is too wide. A wheel has no PNG of most diagrams: there it is an image of the SVG.
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
    png = path.with_suffix(".png")
    return Picture(Bitmap(png.read_bytes()), text) if png.is_file() else Diagram(svg, text)
