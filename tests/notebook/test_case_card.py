"""The card of a case that a learner keeps: a picture of the board, saved beside the notebook, and nothing else written over."""

from __future__ import annotations

from pathlib import Path

import pytest

from loaderlab.course.case import Case, Inquiry, Rates, Repair
from loaderlab.course.case_picture import picture
from loaderlab.drawing.font_metrics import text_width
from loaderlab.drawing.operations import Box, Disc, Text
from loaderlab.drawing.style import GREY, ORANGE, WIDTH
from loaderlab.i18n.errors import LabError
from loaderlab.notebook.case import CaseCard, CaseFile

CASE = Case(
    "one()\ntwo()\n",
    (Repair("one", "first", ("one",), "Gone."), Repair("two", "second", ("two",), "Gone.")),
    {},
)


def solved(*accused: int, bet: float | None = None) -> Inquiry:
    inquiry = Inquiry(CASE)
    inquiry.found = Rates(900, 5, 100)
    inquiry.accuse(accused)
    inquiry.note("two", Rates(900, 25, 100), bet)
    inquiry.note("one", Rates(900, 90, 100))
    return inquiry


@pytest.fixture
def card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CaseCard:
    monkeypatch.chdir(tmp_path)
    return CaseFile(solved(1)).card


def test_a_bar_is_as_long_as_its_share_of_the_limit() -> None:
    boxes = [each for each in picture(solved(), "PC").canvas.operations if isinstance(each, Box)]
    limits = [box for box in boxes if box.edge == GREY]
    bars = [box for box in boxes if box.top == limits[0].top or box.top in {each.top for each in limits}]
    shares = [(bar.right - bar.left) / (limits[0].right - limits[0].left) for bar in bars if bar.edge is None]
    assert shares == pytest.approx([0.05, 0.25, 0.9])


def test_what_was_found_by_reading_is_marked_beside_its_repair() -> None:
    found = picture(solved(1), "PC").canvas.operations
    discs = {(disc.y, disc.fill) for disc in found if isinstance(disc, Disc)}
    rows = {text.text: text.y for text in found if isinstance(text, Text)}
    assert {(rows["2. first"], ORANGE), (rows["1. second"], "white")} <= discs
    # Where nobody accused anything there is nothing to mark.
    assert not [each for each in picture(solved(), "PC").canvas.operations if isinstance(each, Disc)]


def test_a_bet_is_marked_where_it_lies() -> None:
    without, bet = (picture(solved(bet=each), "PC").canvas.operations for each in (None, 50))
    marks = [box for box in bet if isinstance(box, Box) and box.fill == ORANGE]
    limits = [box for box in bet if isinstance(box, Box) and box.edge == GREY]
    assert not [box for box in without if isinstance(box, Box) and box.fill == ORANGE]
    assert (marks[0].left + marks[0].right) / 2 == pytest.approx((limits[1].left + limits[1].right) / 2)


def test_all_of_the_card_lies_within_it_however_long_the_stamp() -> None:
    drawn = picture(solved(1), "A machine with a very long name. " * 20)
    texts = [each for each in drawn.canvas.operations if isinstance(each, Text)]
    assert all(
        text.x + text_width(text.text, text.size, text.bold) <= WIDTH for text in texts if text.anchor == "lm"
    )
    assert max(text.y for text in texts) < drawn.height
    assert sum("long name" in text.text for text in texts) > 2


def test_a_card_is_saved_as_png_or_svg_and_replaces_an_older_one(card: CaseCard, tmp_path: Path) -> None:
    for name, begins in (("my_case.png", b"\x89PNG"), ("mine.svg", b"<svg")):
        for _time in range(2):
            assert name in card.save(name)
        assert (tmp_path / name).read_bytes().startswith(begins)
    card.save()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.svg", "my_case.png"]
    assert "From 5% to 90%" in card.text


def test_nothing_else_is_written_over(card: CaseCard, tmp_path: Path) -> None:
    (tmp_path / "photo.png").write_bytes(b"\x89PNG of the family")
    for name, why in (("photo.png", "no card of a case"), ("card.pdf", "no name for a picture")):
        with pytest.raises(LabError, match=why):
            card.save(name)
    assert [path.name for path in tmp_path.iterdir()] == ["photo.png"]
    assert (tmp_path / "photo.png").read_bytes() == b"\x89PNG of the family"
