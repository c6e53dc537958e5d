"""Writes loaderlab/drawing/letter_widths.py: how wide the letters of DejaVu Sans are, so that text is laid out without the font.

Command: python tools/letter_widths.py. Needs matplotlib, which brings the fonts, and a Pillow with Raqm, which kerns.
"""

from __future__ import annotations

import string
import sys
from itertools import product
from pathlib import Path

from PIL import ImageFont, features

from loaderlab.drawing import letter_widths
from loaderlab.drawing.png import fonts

FRENCH, POLISH = "àâæçéèêëîïôœùûüÿ", "ąćęłńóśźż"
SIGNS = "‘’‚“”„†…‰‹›–—−×·•°±²³⁹µ′″€←↑→↓≈≠≤≥∞■▶●○✓✗⚠\u202f\u2009"
# What stands beside what often enough that its kerning matters.
WORDS = (
    string.printable[:95] + FRENCH + FRENCH.upper() + POLISH + POLISH.upper() + "‘’“”„«»–—…·×−→⚠\u00a0\u202f"
)
LETTERS = sorted(set(WORDS) | set(SIGNS) | set(map(chr, (*range(0xA0, 0xAD), *range(0xAE, 0x180)))))


def measured(path: Path) -> tuple[dict[str, int], dict[tuple[str, str], int]]:
    """Return the width of each letter, and what each pair is wider (mostly: narrower) than its letters, in 1/2048 of the size."""
    font = ImageFont.truetype(str(path), letter_widths.EM, layout_engine=ImageFont.Layout.RAQM)
    widths = {letter: round(font.getlength(letter)) for letter in LETTERS}
    kerning = {
        (left, right): kern
        for left, right in product(sorted(set(WORDS)), repeat=2)
        if (kern := round(font.getlength(left + right)) - widths[left] - widths[right])
    }
    return widths, kerning


def written(widths: dict[str, int], kerning: dict[tuple[str, str], int]) -> tuple[str, str]:
    """Return both tables as the literals of the module: a line for the letters of one width, and for the pairs of one kerning."""
    by_width: dict[int, str] = {}
    for letter, width in widths.items():
        by_width[width] = by_width.get(width, "") + letter
    by_left: dict[tuple[str, int], str] = {}
    for (left, right), kern in kerning.items():
        by_left[left, kern] = by_left.get((left, kern), "") + right
    by_kern: dict[tuple[int, str], str] = {}
    for (left, kern), rights in by_left.items():
        by_kern[kern, rights] = by_kern.get((kern, rights), "") + left
    return (
        "".join(f"    ({width}, {letters!a}),\n" for width, letters in sorted(by_width.items())),
        "".join(f"    ({kern}, {lefts!a}, {rights!a}),\n" for (kern, rights), lefts in by_kern.items()),
    )


def main() -> None:
    if not features.check("raqm"):
        sys.exit("This Pillow has no Raqm, so that it knows no kerning. Install Pillow from its wheel.")
    path = Path(letter_widths.__file__)
    head = path.read_text("utf-8").partition("# ---")[0]
    parts = [f"{head}# --- below: written by tools/letter_widths.py\n"]
    for name, font in zip(("REGULAR", "BOLD"), fonts(), strict=True):
        widths, kerning = written(*measured(font))
        parts.append(f"{name}_WIDTHS = (\n{widths})\n{name}_KERNING = (\n{kerning})\n")
    path.write_text("".join(parts), "utf-8")


if __name__ == "__main__":
    main()
