"""The card of a loop: what it says, and what it carries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

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
        (
            0.016,
            0.010,
            "My loop waits 62% of its time. With batches always ready, it would be about 2.6 times",
        ),
        (0.0, 0.010, "waits 0% of its time. With batches always ready, it would be about 1.0 times"),
        (0.010, 0.0, "waits 100% of its time. It hardly computes at all"),
    ],
)
def test_the_card_says_the_share_and_the_gain(wait: float, step: float, said: str) -> None:
    assert said in postcard(loop(wait, step), held=loop(1e-9, step)).text


def test_the_gain_is_that_of_the_batches_that_are_held() -> None:
    """Not of the share: workers that leave give the step its cores back, or the step depends on the batch."""
    assert "about 5.2 times" in postcard(loop(0.016, 0.010), held=loop(0, 0.005)).text
    assert "about 1.0 times" in postcard(loop(0.016, 0.010), held=loop(0, 0.030)).text


def test_without_batches_that_are_held_nothing_is_promised() -> None:
    text = postcard(loop(0.016, 0.010)).text
    assert "waits 62%" in text and "times as fast" not in text


def test_a_device_that_works_on_waits_for_what_held_batches_save() -> None:
    """The loop loads for 8 ms and launches a step of 10 ms at once: it waits all the time, the device never."""
    run, held = (
        Epoch([wait] * 5, [0, 0, 0, 0, end], [8] * 5, finished=True) for wait, end in ((8, 18), (0, 50))
    )
    assert run.wait_share == 0.64
    assert (
        "waits 0% of its time. With batches always ready, it would be about 1.0 times"
        in postcard(run, held).text
    )
    with pytest.raises(LabError, match="a second one"):
        postcard(run)


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
    with pytest.raises(LabError, match=f"delivered {batches} batches"):
        postcard(loop(1, 1), held=Epoch([1.0] * batches, [1.0] * batches, [8] * batches))


def test_a_saved_card_is_the_picture_and_comes_with_its_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    card = postcard(loop(0.016, 0.010))
    saved = card.save()
    assert [path.name for path in tmp_path.iterdir()] == ["my_loop.png"]
    assert saved.path == tmp_path / "my_loop.png" and saved.path.read_bytes() == card.png
    assert str(saved.path) in repr(saved) and repr(saved).endswith(card.message)
    shown = saved._repr_html_()
    assert str(saved.path) in shown and f">{card.message}</textarea>" in shown and "select()" in shown


@pytest.mark.parametrize(("wait", "step", "hatched"), [(0.016, 0.010, 12), (0.0, 0.010, 0), (0.010, 0.0, 20)])
def test_the_text_for_a_chat_says_what_the_card_says_and_has_a_bar(
    wait: float, step: float, hatched: int
) -> None:
    card = postcard(loop(wait, step))
    title, bar, *others = card.message.split("\n")
    drawn = bar.split()[0]
    assert drawn == "▨" * hatched + "■" * (20 - hatched) and "▨ waits for data" in bar and "■ computes" in bar
    assert title in card.text and all(line.removesuffix(" · Loader Lab") in card.text for line in others)


def test_a_card_replaces_an_older_one_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "card.png"
    older, newer = postcard(loop(0.016, 0.010)), postcard(loop(0.001, 0.010))
    older.save(file)
    newer.save(file)
    assert file.read_bytes() == newer.png
    photo = tmp_path / "photo.png"
    photo.write_bytes(b"no card")
    with pytest.raises(LabError, match="is no postcard"):
        newer.save(photo)
    assert photo.read_bytes() == b"no card" and sorted(tmp_path.iterdir()) == [file, photo]


@pytest.mark.parametrize(
    ("name", "said"), [("card.jpg", "ends in .png"), ("none/card.png", "cannot be written")]
)
def test_a_card_that_cannot_be_saved_says_why(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(LabError, match=said):
        postcard(loop(1, 1)).save(tmp_path / name)
    assert not list(tmp_path.iterdir())


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
        postcard(loop(wait, step), held=loop(1e-9, step))
    assert min(left for left, _right in written) >= 0 and max(right for _left, right in written) <= 800
