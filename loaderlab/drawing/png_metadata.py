"""The data that a picture of measured rows carries: the rows, and the machine that they were measured on.

It travels in a text chunk of the PNG. Every front end keeps the bytes of a picture, while they differ in what they do
with a MIME type they do not know: VS Code shows it before the picture, and nbval compares it.
"""

from __future__ import annotations

import io
import json
from typing import Any

KEYWORD = "loaderlab-rows"
SCHEMA = 1
MOST_CHARACTERS = 200_000  # of JSON: far more than a lesson measures
# Environment variable: set while the course's own notebooks are built, whose rows are no learner's.
BUILDING = "LOADERLAB_BUILDING"
COURSES_OWN = "of_the_course"  # the field of such rows


def pack(png: bytes, content: Any) -> bytes:
    """Return the same picture, with ``content`` (plain JSON) in it; unchanged where that is too much."""
    from PIL import Image, PngImagePlugin

    text = json.dumps(content, separators=(",", ":"))
    if len(text) > MOST_CHARACTERS:
        return png
    chunk = PngImagePlugin.PngInfo()
    chunk.add_text(KEYWORD, text, zip=True)
    file = io.BytesIO()
    Image.open(io.BytesIO(png)).save(file, "PNG", pnginfo=chunk, optimize=True)
    return file.getvalue()


def unpack(png: bytes) -> Any:
    """Return the data that a picture carries, or None. Raises ``ValueError`` where they cannot be read.

    The picture may come from anybody: only its head is read, and Pillow stops at a text that inflates beyond 1 MB.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(png), formats=["PNG"]) as image:
            text = image.info.get(KEYWORD)
        return None if text is None else json.loads(str(text)[: MOST_CHARACTERS + 1])
    except (
        UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, RecursionError,
    ) as error:  # fmt: skip
        raise ValueError(str(error)) from error
