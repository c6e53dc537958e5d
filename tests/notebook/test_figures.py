"""Rows become tables and pictures, named in the reader's language; without rows the figure says why there are none."""

import pytest

from loaderlab import drawing
from loaderlab.i18n.language import speaking
from loaderlab.notebook import figures, session
from loaderlab.notebook.recordings import Result

NOT_RUN = Result("sweep", live=False, note="Not run: no GPU.")
ROWS = [
    {"num_workers": n, "samples_per_second": 100.0 * (n + 1) * wobble, "generator": "torch"}
    for n in (0, 1, 2)
    for wobble in (0.9, 1.0, 1.1)
]
BARS = [
    {"variant": "batch_size", "track": "limit", "kind": "compute", "start_ms": 0.0, "end_ms": 12.5},
    {"variant": "batch_size", "track": "limit", "kind": "wait", "start_ms": 12.5, "end_ms": 20.0},
]


@pytest.fixture(autouse=True)
def lesson(capsys):
    session.begin("workers")


def shown(rows, live=True):
    return Result("sweep", rows, live, device="CPU × 2", date="2026-11-21")


@pytest.mark.parametrize(
    "figure",
    [
        lambda: figures.rates(NOT_RUN, "num_workers"),
        lambda: figures.curves(NOT_RUN, "num_workers", "samples_per_second"),
        lambda: figures.tracks(NOT_RUN),
        lambda: figures.table(NOT_RUN),
    ],
)
def test_without_rows_a_figure_says_why(figure):
    assert figure() == "Not run: no GPU."


def test_the_model_is_drawn_where_nothing_was_measured():
    model = [{"num_workers": n, "samples_per_second": 50.0 * n} for n in (1, 2, 4)]
    picture = figures.curves(NOT_RUN, "num_workers", "samples_per_second", model=model)
    assert isinstance(picture, drawing.Picture)
    assert picture.text == "Dotted: the model. (Not run: no GPU.)"


def test_curves_say_their_ends_and_their_limit():
    picture = figures.curves(shown([*ROWS, {"limit": 400.0}]), "num_workers", "samples_per_second")
    assert picture.text == (
        "From 100 samples/s (number of workers: 0) to 300 samples/s (number of workers: 2). Limit: 400 samples/s. "
        "(measured here: CPU, cores: 2)"
    )


def test_curves_say_how_far_a_line_goes_beyond_its_ends():
    rows = [{"num_workers": n, "step_ms": ms} for n, ms in enumerate([10.0, 30.0, 2.0, 14.0])]
    assert figures.curves(shown(rows), "num_workers", "step_ms").text.startswith(
        "From 10.0 ms (number of workers: 0) to 14.0 ms (number of workers: 3). Highest: 30.0 ms (number of workers: 1). "
        "Lowest: 2.00 ms (number of workers: 2). ("
    )


def test_curves_name_each_line():
    picture = figures.curves(shown(ROWS, live=False), "num_workers", "samples_per_second", by="generator")
    assert picture.text == (
        "torch: from 100 samples/s (number of workers: 0) to 300 samples/s (number of workers: 2). "
        "(recorded on CPU, cores: 2, 2026-11-21)"
    )


def test_tracks_say_how_long_each_panel_lasts():
    assert figures.tracks(shown(BARS)).text == "Batch size: 20.0 ms in all. (measured here: CPU, cores: 2)"


def test_a_column_has_the_name_that_the_lesson_gives_it(capsys):
    assert figures.named("imported") == "Module imported"
    assert figures.named("num_workers") == "Number of workers"
    assert figures.named("no such column") == "no such column"
    session.begin("workers", language="fr")
    assert figures.named("num_workers") == "Nombre de workers"
    assert figures.named(0.5) == "0,50"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.00"),
        (0.00390625, "0.0039"),
        (0.05, "0.050"),
        (1.234, "1.23"),
        (12.34, "12.3"),
        (1234.5, "1234"),
    ],
)
def test_numbers_show_the_digits_that_matter(value, text):
    assert figures.named(value) == text


def test_below_the_table_of_a_result_stands_where_it_is_from() -> None:
    result = Result("sweep", [{"seconds": 1.0}], live=False, device="a GPU", date="2026-01-02")
    assert str(figures.table(result)).splitlines()[-1] == result.stamp
    assert result.stamp not in str(figures.table(result.rows))


def test_a_unit_that_begins_with_percent_stands_at_its_number_as_the_language_has_it(monkeypatch):
    monkeypatch.setattr(figures, "_label_and_unit", lambda column: ("Copied", "% of the data"))
    for language, found in (("en", "12% of the data"), ("fr", "12\N{NO-BREAK SPACE}% of the data")):
        with speaking(language):
            assert figures._quantity("copied_percent", 12) == found
