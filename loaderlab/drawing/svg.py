"""A drawing as an SVG, with the standard library: for what is shown live. :mod:`loaderlab.drawing.png` draws the same operations.

Rectangles and lines have the corners that they have in the PNG, which lie on half pixels and are sharp on any screen.

A browser that has no DejaVu Sans takes another font, with letters of other widths. So each text says how long it is
(`textLength`), and its letters are made that much narrower or wider: what was laid out around it still fits. It stands at the
point that it was given (`text-anchor`), and on a base line that is computed here: browsers differ in what they take for half of
the height.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby
from operator import itemgetter

from loaderlab.drawing.font_metrics import base_line, text_width
from loaderlab.drawing.operations import SCALE, Box, Cells, Disc, Hatch, Operation, Polyline, Text

FONT = "'DejaVu Sans','Bitstream Vera Sans',Verdana,sans-serif"  # from the most to the least alike
_ANCHORS = {"l": "", "m": ' text-anchor="middle"', "r": ' text-anchor="end"'}


def drawn(width: int, height: int, operations: Iterable[Operation], title: str = "") -> str:
    """Return the drawing on white, `width` × `height` pixels, with a ``title`` to be read aloud."""
    patterns: dict[str, str] = {}
    parts = [part for operation in operations for part in _put(operation, patterns)]
    # What looks alike and comes one after the other is one path.
    paths = (
        f'<path {look} d="{"".join(path for _look, path in run)}"/>'
        if look
        else "".join(e for _look, e in run)
        for look, run in groupby(parts, key=itemgetter(0))
    )
    defined = f"<defs>{''.join(patterns.values())}</defs>" if patterns else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" font-family="{FONT}" stroke-width=".5"><title>{escape(title)}</title>{defined}'
        f'<path fill="#fff" d="M0 0h{width}v{height}H0z"/>{"".join(paths)}</svg>'
    )


_Part = tuple[str, str]  # the look of a path and the path; or no look, and a whole element


def _put(operation: Operation, patterns: dict[str, str]) -> Iterator[_Part]:
    match operation:
        case Box(fill=fill, edge=edge):
            yield _rectangle(operation.corners, fill or "none", edge)
        case Hatch(colour=colour):
            yield _rectangle(operation.corners, f"url(#{_pattern(operation, patterns)})", colour)
        case Polyline(points=points) if len(points) > 1:
            yield _polyline(operation)
        case Disc(x=x, y=y, radius=radius, width=edge):
            look = f'fill="{operation.fill}" stroke="{operation.edge}" stroke-width="{edge:g}"'
            yield "", f'<circle cx="{x:g}" cy="{y:g}" r="{radius - edge / 2:g}" {look}/>'
        case Text(text=text) if text:
            yield "", _text(operation)
        case Cells():
            yield from _cells(operation)


def _rectangle(corners: tuple[int, int, int, int], fill: str, edge: str | None) -> _Part:
    """Return a rectangle with an edge of half a pixel within it."""
    inside = 0.25 if edge else 0
    x0, y0, x1, y1 = (value / SCALE for value in corners)
    path = f"M{x0 + inside:g} {y0 + inside:g}H{x1 - inside:g}V{y1 - inside:g}H{x0 + inside:g}z"
    return (f'fill="{fill}" stroke="{edge}"' if edge else f'fill="{fill}"'), path


def _pattern(hatch: Hatch, patterns: dict[str, str]) -> str:
    """Return the name of the pattern of its lines, which end on its upper edge at multiples of `gap` from the left of the sheet.

    Hatches whose upper edges are a multiple of it apart share a pattern.
    """
    gap = round(hatch.gap * SCALE) / SCALE
    # Pillow takes the pixel that a line goes through, and the next one.
    top = (hatch.corners[1] / SCALE + 0.5) % gap
    name = f"h{hatch.colour.lstrip('#')}-{gap:g}-{top:g}".replace(".", "_")
    beyond = gap + 1
    patterns[name] = (
        f'<pattern id="{name}" width="{gap:g}" height="{gap:g}" y="{top:g}" patternUnits="userSpaceOnUse">'
        f'<path stroke="{hatch.colour}" stroke-width="1" '
        f'd="M-1 1L1-1M-1 {beyond:g}L{beyond:g}-1M{gap - 1:g} {beyond:g}L{beyond:g} {gap - 1:g}"/></pattern>'
    )
    return name


def _polyline(line: Polyline) -> _Part:
    """Return the line where Pillow draws it: on the pixels that its points lie in, and the last one of a straight line as well."""
    points = [(int(x * SCALE), int(y * SCALE)) for x, y in line.points]
    (x0, y0), (x1, y1) = points[0], points[-1]
    places: list[tuple[float, float]]
    middle = 0.5 if line.thickness % 2 else 1.0
    if len(points) == 2 and y0 == y1:
        places = [(min(x0, x1), y0 + middle), (max(x0, x1) + 1, y0 + middle)]
    elif len(points) == 2 and x0 == x1:
        places = [(x0 + middle, min(y0, y1)), (x0 + middle, max(y0, y1) + 1)]
    else:
        places = [(x + middle, y + middle) for x, y in points]
    path = "L".join(f"{x / SCALE:g} {y / SCALE:g}" for x, y in places)
    look = f'fill="none" stroke="{line.colour}" stroke-width="{line.thickness / SCALE:g}" stroke-linejoin="bevel"'
    return look, f"M{path}"


def _text(text: Text) -> str:
    length = text_width(text.text, text.size, text.bold)
    place = f'x="{text.x:.5g}" y="{text.y + base_line(text.size):.5g}"{_ANCHORS[text.anchor[0]]}'
    weight = ' font-weight="bold"' if text.bold else ""
    look = f'font-size="{round(text.size * SCALE) / SCALE:g}"{weight} fill="{text.colour}"'
    fitted = f'textLength="{length:.5g}" lengthAdjust="spacingAndGlyphs"' if length else ""
    return f"<text {place} {look} {fitted}>{escape(text.text)}</text>"


def _cells(cells: Cells) -> Iterator[_Part]:
    """Yield one path for the cells of each colour: a line as thick as they are high for each run of them."""
    paths: dict[str, list[str]] = {}
    for y, row in enumerate(cells.rows):
        x = 0
        for colour, run in groupby(row):
            count = sum(1 for _cell in run)
            if colour:
                paths.setdefault(colour, []).append(f"M{x} {y}h{count}")
            x += count
    left, top = (round(value * SCALE) / SCALE for value in (cells.left, cells.top))
    place = f"translate({left:g} {top + cells.tall / 2:g})scale({cells.wide} {cells.tall})"
    for colour, path in paths.items():
        yield f'transform="{place}" stroke="{colour}" stroke-width="1"', "".join(path)
