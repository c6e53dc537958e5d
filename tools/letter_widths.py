"""Writes loaderlab/drawing/letter_widths.json: how wide the letters of DejaVu Sans are, so that text is laid out without the font.

Command: python tools/letter_widths.py. Needs matplotlib, which brings the fonts. A row of the file is a width and the letters that
have it.
"""

from __future__ import annotations

import json
import string
from itertools import groupby
from pathlib import Path

from PIL import ImageFont

from loaderlab.drawing.font_metrics import EM, WIDTHS
from loaderlab.drawing.png import fonts

SIGNS = "‘’‚“”„†…‰‹›–—−×·•°±²³⁹µ′″€←↑→↓≈≠≤≥∞■▶●○✓✗⚠\u202f\u2009"
LATIN = map(chr, (*range(0xA0, 0xAD), *range(0xAE, 0x180)))
LETTERS = sorted({*string.printable[:95], *LATIN, *SIGNS})


def measured(path: Path) -> list[tuple[int, str]]:
    """Return each width that letters of a font have, in units of the font, and these letters."""
    font = ImageFont.truetype(str(path), EM)

    def width(letter: str) -> int:
        return round(font.getlength(letter))

    return [(units, "".join(letters)) for units, letters in groupby(sorted(LETTERS, key=width), width)]


def main() -> None:
    tables = []
    for name, path in zip(("regular", "bold"), fonts(), strict=True):
        rows = ",\n".join(json.dumps(row) for row in measured(path))
        tables.append(f'"{name}": [\n{rows}\n]')
    WIDTHS.write_text("{\n" + ",\n".join(tables) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
