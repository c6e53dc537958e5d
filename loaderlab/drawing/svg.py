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

from loaderlab.drawing.font_metrics import base_line, text_width
from loaderlab.drawing.operations import SCALE, Box, Cells, Disc, Hatch, Operation, Polyline, Text

FONT = "'DejaVu Sans','Bitstream Vera Sans',Verdana,sans-serif"  # from the most to the least alike
_ANCHORS = {"l": "", "m": ' text-anchor="middle"', "r": ' text-anchor="end"'}


def drawn(width: int, height: int, operations: Iterable[Operation], title: str = "") -> str:
    """The drawing on white, `width` × `height` pixels, with a ``title`` to be read aloud."""
    patterns: dict[str, str] = {}
    parts = [part for operation in operations for part in _put(operation, patterns)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" font-family="{FONT}"><title>{escape(title)}</title>'
        f'{_defined(patterns.values())}<path fill="#fff" d="M0 0h{width}v{height}H0z"/>{"".join(parts)}</svg>'
    )


def _defined(patterns: Iterable[str]) -> str:
    definitions = "".join(patterns)
    return f"<defs>{definitions}</defs>" if definitions else ""


def _put(operation: Operation, patterns: dict[str, str]) -> Iterator[str]:
    match operation:
        case Box(fill=fill, edge=edge):
            if fill:
                yield _rectangle(operation.corners, f'fill="{fill}"')
            if edge:
                yield _edge(operation.corners, edge)
        case Hatch(colour=colour):
            yield _rectangle(operation.corners, f'fill="url(#{_pattern(operation, patterns)})"')
            yield _edge(operation.corners, colour)
        case Polyline(points=points) if len(points) > 1:
            yield _polyline(operation)
        case Disc(x=x, y=y, radius=radius, width=edge_width):
            look = f'fill="{operation.fill}" stroke="{operation.edge}" stroke-width="{edge_width:g}"'
            yield f'<circle cx="{x:g}" cy="{y:g}" r="{radius - edge_width / 2:g}" {look}/>'
        case Text(text=text) if text:
            yield _text(operation)
        case Cells():
            yield from _cells(operation)


def _rectangle(corners: tuple[int, int, int, int], look: str) -> str:
    x0, y0, x1, y1 = (value / SCALE for value in corners)
    return f'<path {look} d="M{x0:g} {y0:g}H{x1:g}V{y1:g}H{x0:g}z"/>'


def _edge(corners: tuple[int, int, int, int], colour: str) -> str:
    """Of half a pixel, within the rectangle."""
    x0, y0, x1, y1 = (value / SCALE for value in corners)
    half = 1 / (2 * SCALE)
    return (
        f'<path fill="none" stroke="{colour}" stroke-width="{2 * half:g}" '
        f'd="M{x0 + half:g} {y0 + half:g}H{x1 - half:g}V{y1 - half:g}H{x0 + half:g}z"/>'
    )


def _pattern(hatch: Hatch, patterns: dict[str, str]) -> str:
    """The name of the pattern of its lines, which go through the lower corners of the squares that begin at its foot.

    Lines of 45 degrees repeat with `gap`, so that hatches whose feet are a multiple of it apart share a pattern.
    """
    _x0, _y0, _x1, y1 = hatch.corners
    gap = round(hatch.gap * SCALE) / SCALE
    foot = (y1 / SCALE) % gap
    name = f"h{hatch.colour.lstrip('#')}-{gap:g}-{foot:g}".replace(".", "_")
    beyond = gap + 1
    patterns[name] = (
        f'<pattern id="{name}" width="{gap:g}" height="{gap:g}" y="{foot:g}" patternUnits="userSpaceOnUse">'
        f'<path stroke="{hatch.colour}" d="M-1 1L1-1M-1 {beyond:g}L{beyond:g}-1M{gap - 1:g} {beyond:g}L{beyond:g} {gap - 1:g}"/>'
        "</pattern>"
    )
    return name


def _polyline(line: Polyline) -> str:
    """Where Pillow draws it, which takes the pixels that its points lie in, and the last one of a straight line as well."""
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
    look = f'stroke="{line.colour}" stroke-width="{line.thickness / SCALE:g}" stroke-linejoin="bevel"'
    return f'<path fill="none" {look} d="M{path}"/>'


def _text(text: Text) -> str:
    length = text_width(text.text, text.size, text.bold)
    place = f'x="{text.x:.5g}" y="{text.y + base_line(text.size):.5g}"{_ANCHORS[text.anchor[0]]}'
    weight = ' font-weight="bold"' if text.bold else ""
    look = f'font-size="{round(text.size * SCALE) / SCALE:g}"{weight} fill="{text.colour}"'
    fitted = f'textLength="{length:.5g}" lengthAdjust="spacingAndGlyphs"' if length else ""
    return f"<text {place} {look} {fitted}>{escape(text.text)}</text>"


def _cells(cells: Cells) -> Iterator[str]:
    """The cells of a colour are one path, a line as thick as they are high for each run of them."""
    paths: dict[str, list[str]] = {}
    for y, row in enumerate(cells.rows):
        x = 0
        for colour, run in groupby(row):
            count = len(list(run))
            if colour:
                paths.setdefault(colour, []).append(f"M{x} {y}h{count}")
            x += count
    left, top = (round(value * SCALE) / SCALE for value in (cells.left, cells.top))
    middle = f"{left:g} {top + cells.tall / 2:g}"
    for colour, path in paths.items():
        yield (
            f'<path transform="translate({middle})scale({cells.wide} {cells.tall})" stroke="{colour}" d="{"".join(path)}"/>'
        )
