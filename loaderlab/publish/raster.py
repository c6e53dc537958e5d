"""The diagrams as PNG: JupyterLab shows no SVG of a notebook that it does not trust, such as one that was just cloned."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo

from loaderlab.drawing.png import fonts
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _

_SOURCE = "source"  # the text in the PNG that says which SVG it was drawn from
_PIXELS, _COLOURS = 1200, 32  # sharp enough on a screen with small pixels, and a third of the bytes


def png(svg: str) -> bytes:
    """Return the diagram as a PNG that knows what it was drawn from; raises :class:`LabError` where the package for that is missing."""
    try:
        from resvg_py import svg_to_bytes
    except ModuleNotFoundError as error:
        raise LabError(
            _(
                "A diagram changed, and drawing it needs one more package ({error}). Install it: "
                "`pip install -r requirements-dev.txt`."
            ).format(error=error)
        ) from None
    drawn = svg_to_bytes(
        svg_string=svg,
        width=_PIXELS,
        background="white",
        skip_system_fonts=True,
        font_files=[str(path) for path in fonts()],
        sans_serif_family="DejaVu Sans",
    )
    image = Image.open(io.BytesIO(bytes(drawn))).convert("RGB")
    about = PngInfo()
    about.add_text(_SOURCE, _digest(svg))
    file = io.BytesIO()
    image.quantize(_COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(
        file, "PNG", optimize=True, pnginfo=about
    )
    return file.getvalue()


def is_drawn_from(path: Path, svg: str) -> bool:
    """Return whether the PNG at ``path`` shows this diagram. Pixels are not compared: they depend on versions."""
    if not path.is_file():
        return False
    with Image.open(path) as image:
        return image.info.get(_SOURCE) == _digest(svg)


def _digest(svg: str) -> str:
    return hashlib.sha256(svg.encode()).hexdigest()
