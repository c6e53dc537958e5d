"""Pictures of the course in one style; each carries one sentence that says what it shows.

A scene (`scene.py`) is a pure function from parameters to a picture and a sentence; with its sliders it is an
explorer. A canvas records what is drawn (`canvas.py`, `operations.py`), text is laid out from a table
(`font_metrics.py`), and a picture becomes an SVG (`svg.py`) or a PNG (`png.py`) when it is asked for one;
`png_metadata.py` has the rows that it carries. The standard library does for all but PNG and the plots of
measurements (`plots.py`, `crowds.py`: matplotlib, when they draw).
"""

from loaderlab.drawing.charts import Line, chart
from loaderlab.drawing.crowds import Crowd, crowds
from loaderlab.drawing.gantt import Bar, tracks
from loaderlab.drawing.grids import grid, strip
from loaderlab.drawing.picture import Bitmap, Picture
from loaderlab.drawing.plots import curves, rates
from loaderlab.drawing.style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PALE,
    PALETTE,
    PINK,
    RED,
    SKY,
    WIDTH,
    YELLOW,
    Kind,
    ticks,
)
from loaderlab.drawing.timelines import timeline

__all__ = [
    "BLUE", "GREEN", "GREY", "INK", "ORANGE", "PALE", "PALETTE", "PINK", "RED", "SKY", "WIDTH", "YELLOW",
    "Bar", "Bitmap", "Crowd", "Kind", "Line", "Picture",
    "chart", "crowds", "curves", "grid", "rates", "strip", "ticks", "timeline", "tracks",
]  # fmt: skip
