"""A wrong answer as a picture: it shows what that answer returned, beside what was asked for, in every language."""

from __future__ import annotations

import base64
import json
import math
import re
from html import unescape
from xml.etree import ElementTree

import pytest

from answers import Answer, answers, named
from loaderlab import course
from loaderlab.exercises.criterion import Finding, Pictures
from loaderlab.i18n.language import LANGUAGES, speaking
from loaderlab.lessons.start_here.answer_pictures import waiting
from loaderlab.lessons.warps.answer_pictures import choosing
from loaderlab.lessons.webdataset.answer_pictures import WIDEST, dealt
from loaderlab.notebook.card import Card
from loaderlab.teaching.grading import judging
from loaderlab.web import answer_cell

DRAWN = (
    ("start_here", "wait_and_compute"),
    ("warps", "best_rows"),
    ("webdataset", "once_each"),
    ("ddp_sampling", "deal_better"),
)
WAITS = ("start_here", "wait_and_compute", "wrong: since done")  # the pauses, too: 260 ms instead of 30


def findings(answer: Answer, language: str = "en") -> list[Finding]:
    return [finding for finding in answer.verdict(language).findings if not finding.passed and finding.draw]


def pictures(answer: Answer, language: str = "en") -> list[Pictures]:
    """Return those of all findings that can be drawn."""
    with speaking(language):
        found = [finding.draw() for finding in findings(answer, language) if finding.draw]
        for both in filter(None, found):
            assert both.got.svg and both.expected.svg  # drawn in this language
    return [both for both in found if both]


def words(svg: str) -> list[str]:
    """Return all texts of a picture but its title."""
    return [part.text or "" for part in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_the_timeline_shows_the_totals_that_were_returned_beside_those_asked_for() -> None:
    [both] = pictures(named(*WAITS))
    assert {"wait: 260 ms", "computation: 15 ms", "Your answer"} <= set(words(both.got.svg))
    assert {"wait: 30 ms", "computation: 15 ms", "Asked for"} <= set(words(both.expected.svg))
    assert both.got.text.startswith("Your answer: wait 260 ms") and "10 + 5, 10 + 5, 10 + 5" in both.got.text


def test_the_curve_of_times_has_a_mark_at_the_answer() -> None:
    answer = named("warps", "best_rows", "wrong: as many as possible")
    both = pictures(answer)[0]
    assert "M = 128" in words(both.got.svg) and "M = 128" not in words(both.expected.svg)
    times = {1: 1.0, 2: 3.0, 4: 2.0}
    assert choosing(times, 1, 2) and choosing(times, 1, 3) is None and choosing(times, 1, 2.0) is None


def test_the_grid_of_batches_shows_who_reads_what_and_what_nobody_reads() -> None:
    both = pictures(named("webdataset", "once_each", "wrong: full batches only"))[0]
    assert "nobody: 7" in words(both.got.svg) and not any(
        "nobody" in text for text in words(both.expected.svg)
    )
    assert (
        "Samples of each worker: 16, 16, 16, 16, 16, 16." in both.got.text and "Missing: 7." in both.got.text
    )
    assert "Missing: 0. More than once: 0." in both.expected.text


def test_the_grid_of_openings_has_a_colour_for_each_shard() -> None:
    [both] = pictures(named("webdataset", "once_each", "wrong: batches dealt out in turn"))
    assert {f"shard {n}" for n in range(8)} <= set(words(both.got.svg))
    assert "opens: 4, 4, 4, 4" in both.got.text and "opens: 1, 1, 1, 1" in both.expected.text


def test_the_grid_of_steps_shows_lengths_that_do_not_fit_together() -> None:
    [both] = pictures(named("ddp_sampling", "deal_better", "wrong: as before"))
    spread, right = (
        float(re.findall(r"on average: ([\d.,]+)\.", each.text)[0].replace(",", ""))
        for each in (both.got, both.expected)
    )
    assert spread > 3 * right


@pytest.mark.parametrize("where", DRAWN, ids="-".join)
def test_every_picture_differs_from_that_of_the_right_answer_and_speaks_the_language(
    where: tuple[str, str],
) -> None:
    wrong = [answer for answer in answers(*where) if not answer.right]
    drawn = {answer.name: {code: pictures(answer, code) for code in LANGUAGES} for answer in wrong}
    assert sum(bool(found["en"]) for found in drawn.values()) >= 6
    for found in drawn.values():
        for one in zip(*found.values(), strict=True):
            assert len({both.got.text for both in one}) == len(LANGUAGES)
            assert all(
                both.got.svg != both.expected.svg and both.got.text != both.expected.text for both in one
            )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_card_has_both_pictures_in_one_fold_as_images_with_their_words(language: str) -> None:
    answer = named(*WAITS)
    with speaking(language):
        shown = Card(answer.verdict(language))._repr_html_()
    [both] = pictures(answer, language)
    images = re.findall(r'<img alt="(.*?)" src="data:image/svg\+xml;base64,(.*?)"', shown)
    assert [unescape(text) for text, _svg in images] == [both.expected.text, both.got.text]
    assert [base64.b64decode(svg).decode() for _text, svg in images] == [both.expected.svg, both.got.svg]
    fold = shown.rindex("<details", 0, shown.index("<img"))
    assert not shown[fold:].startswith("<details open")


def on_a_page(text: str) -> str:
    """Return the card that a page shows for an answer to the exercise."""
    exercise = course.lesson(WAITS[0]).exercises()[WAITS[1]]
    ran = answer_cell.run(answer_cell.packed(exercise.probe), text, [])
    return str(answer_cell.judged(exercise, json.dumps(ran), [])["card"])


def test_a_page_of_the_website_shows_the_same_pictures() -> None:
    card = on_a_page(named(*WAITS).text)
    assert card.count('src="data:image/svg+xml;base64,') == 2


def test_a_right_answer_and_one_that_raises_have_no_picture() -> None:
    right = next(answer for answer in answers(*WAITS[:2]) if answer.right)
    assert findings(right) == []
    card = on_a_page("def wait_and_compute(events):\n    return events[0] / 2\n")
    assert "✗" in card and "<img" not in card


def test_the_grader_draws_nothing_from_what_an_answer_returned() -> None:
    answer = named(*WAITS)
    assert findings(answer)
    grade = judging._judged(answer.judge, answer.collected)
    assert not any(finding.draw for finding in grade.verdict.findings)


@pytest.mark.parametrize(
    "value", [3, [1], [1, 2, 3], [1, "2"], [True, 2], [-1, 2], [math.inf, 2], [math.nan, 2]]
)
def test_what_is_no_pair_of_lengths_is_not_drawn(value: object) -> None:
    log = [("ask", 0), ("batch", 5), ("done", 8), ("ask", 8), ("batch", 10), ("done", 11)]
    assert waiting(log, [2, 1], [2, 1]) and waiting(log, [2, 1], [1e300, 0.1])
    assert waiting(log, [2, 1], value) is None


def test_a_worker_that_reads_more_than_a_row_can_hold_is_not_drawn() -> None:
    def worker(count: int) -> list[list[list[tuple[int, int]]]]:
        return [[[(0, place)] for place in range(count)]]

    assert dealt(worker(WIDEST), 1, {(0, 0)}, by_shard=False)
    assert dealt(worker(WIDEST + 1), 1, {(0, 0)}, by_shard=False) is None
    assert dealt([[], []], 1, {(0, 0)}, by_shard=False) is None
