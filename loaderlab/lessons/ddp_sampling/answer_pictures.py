"""The picture of an answer to `deal_better`: the lengths in each step."""

from __future__ import annotations

from collections.abc import Sequence

from loaderlab.drawing import Kind, Picture
from loaderlab.drawing.grids import grid
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _

SHADES = ("#e8f1f8", "#bcd7ea", "#7fb2d5", "#3b84b8", "#00588f")  # from short to long
STEPS = 300  # columns


def steps(groups: Sequence[Sequence[int]], lengths: Sequence[int]) -> Picture | None:
    """Draw a column for each step, a cell for each of its samples, darker where it is longer; None for too many."""
    if not 0 < len(groups) <= STEPS or not all(groups):
        return None
    ordered = sorted(lengths)
    bounds = [ordered[len(ordered) * part // len(SHADES)] for part in range(1, len(SHADES))]
    columns = [
        sorted((sum(lengths[i] >= bound for bound in bounds) for i in group), reverse=True)
        for group in groups
    ]
    rows = [
        [column[y] if y < len(column) else None for column in columns] for y in range(max(map(len, columns)))
    ]
    edges = [ordered[0], *bounds, ordered[-1]]
    kinds = {
        shade: Kind(
            colour,
            _("length {low} to {high}").format(low=number(edges[shade]), high=number(edges[shade + 1])),
        )
        for shade, colour in enumerate(SHADES)
    }
    longest = [max(lengths[i] for i in group) for group in groups]
    spread = [high - min(lengths[i] for i in group) for high, group in zip(longest, groups, strict=True)]
    words = _(
        "Steps: {steps}. Difference between the shortest and the longest sample of a step, on average: {spread}. Longest sample of the first steps: {first}; of the last steps: {last}."
    )
    text = words.format(
        steps=len(groups),
        spread=number(sum(spread) / len(spread), 1),
        first=", ".join(map(str, longest[:5])),
        last=", ".join(map(str, longest[-5:])),
    )
    return grid(rows, kinds, text=text, lines=[_("A column: what all ranks compute in one step")], height=200)
