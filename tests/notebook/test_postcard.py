"""The card of a loop: what it says, and what it carries."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from loaderlab.drawing import png_metadata
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES, use
from loaderlab.measuring.measure import Epoch
from loaderlab.notebook.postcard import postcard


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    use("en")
    yield
    use("en")


def loop(wait: float, step: float, batches: int = 5) -> Epoch:
    return Epoch([9.0] + [wait] * (batches - 1), [step] * batches, [8] * batches)


@pytest.mark.parametrize(
    ("wait", "step", "said"),
    [
        (0.016, 0.010, "My loop waits 62% of its time. With batches that are always there: about 2.6 times"),
        (0.0, 0.010, "waits 0% of its time. With batches that are always there: about 1.0 times"),
        (0.010, 0.0, "waits 100% of its time. It hardly computes at all"),
    ],
)
def test_the_card_says_the_share_and_the_gain(wait: float, step: float, said: str) -> None:
    assert said in postcard(loop(wait, step)).text


def test_the_card_carries_each_batch_and_nothing_of_whoever_measured() -> None:
    content = png_metadata.unpack(postcard(loop(0.016, 0.010)).png)
    assert [row["wait_ms"] for row in content["rows"]] == [9000, 16, 16, 16, 16]
    assert {row["samples"] for row in content["rows"]} == {8}
    assert set(content) == {"schema", "x", "y", "apart", "rows", "devices", "drawn"}


def test_the_courses_own_card_is_no_learners(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(png_metadata.BUILDING, "1")
    assert png_metadata.unpack(postcard(loop(1, 1)).png)[png_metadata.COURSES_OWN]


@pytest.mark.parametrize("batches", [0, 1])
def test_too_few_batches_have_no_share(batches: int) -> None:
    with pytest.raises(LabError, match=f"delivered {batches} batches"):
        postcard(Epoch([1.0] * batches, [1.0] * batches, [8] * batches))


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_line_of_the_card_is_inside_it(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from loaderlab.drawing.canvas import Canvas
    from loaderlab.drawing.font_metrics import text_width

    use(code)
    written = []
    text = Canvas.text

    def note(self, x, y, words, size=12, colour="", anchor="lm", bold=False):  # type: ignore[no-untyped-def]
        left = x - text_width(words, size, bold) if anchor[0] == "r" else x
        written.append((left, left + text_width(words, size, bold)))
        text(self, x, y, words, size, colour, anchor, bold)

    monkeypatch.setattr(Canvas, "text", note)
    for wait, step in ((1.0, 1e-9), (0.9876, 0.1)):
        postcard(loop(wait, step))
    assert min(left for left, _right in written) >= 0 and max(right for _left, right in written) <= 800
