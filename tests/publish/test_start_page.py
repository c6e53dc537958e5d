"""The first page of the website: its bet is what the model says, and a link to it shows what it is about."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from PIL import Image

from loaderlab.i18n.language import LANGUAGES, speaking
from loaderlab.publish import first_bet, page_head
from loaderlab.publish.checkout import PLACEHOLDER, here

SHARED = page_head.Shared('Who "waits"?', "A GPU & a loader.", "fr/shared/x.png")


def test_each_row_has_its_batches_one_after_the_other_and_the_gpu_computes_all_of_them() -> None:
    for workers in range(first_bet.FEWEST, first_bet.MOST + 1):
        *loads, gpu = first_bet.rows(workers)
        for row in (*loads, gpu):
            ends = [bar.end for bar in row]
            assert all(before <= bar.start < bar.end for before, bar in zip([0, *ends], row, strict=False))
            assert ends[-1] <= first_bet.length()
        batches = list(range(first_bet.LOOP.batches))
        assert len(loads) == workers
        assert sorted(bar.batch for row in loads for bar in row) == batches
        assert [bar.batch for bar in gpu if bar.batch is not None] == batches


def test_the_gpu_waits_as_the_arithmetic_says() -> None:
    for workers in range(first_bet.FEWEST, first_bet.MOST + 1):
        share = 100 * (1 - first_bet.LOOP.step_ms * workers / first_bet.LOOP.load_ms)
        assert first_bet.waits(workers) == pytest.approx(max(0, share), abs=0.5)


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_of_the_guesses_is_right_and_each_says_what_is_right(language: str) -> None:
    with speaking(language):
        shown = unescape(first_bet.bet())
        said = re.findall(r'data-says="([^"]+)">(\d+)', shown)
        yes = first_bet.bet.__globals__["_"]("Yes, {share}%. {why}").partition("{")[0]
    right = str(round(first_bet.waits(first_bet.ASKED)))
    assert len(said) == 4 and [guess for says, guess in said if says.startswith(yes)] == [right]
    assert all(right in says for says, _guess in said)


def test_a_shared_link_has_a_picture_that_is_found_from_anywhere() -> None:
    tags = page_head.tags(SHARED, "fr", "01_workers", "https://o.github.io/n/")
    says = dict(re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)">', tags))
    assert says["og:title"] == "Who &quot;waits&quot;?"
    assert says["og:description"] == says["description"] == "A GPU &amp; a loader."
    assert says["og:image"] == "https://o.github.io/n/fr/shared/x.png"
    assert says["og:url"] == "https://o.github.io/n/fr/01_workers.html"
    assert says["twitter:card"] == "summary_large_image"
    assert tags.count('rel="alternate"') == len(LANGUAGES)


def test_without_an_address_a_shared_link_has_a_sentence() -> None:
    tags = page_head.tags(SHARED, "fr", "01_workers", "")
    assert "og:image" not in tags and "og:url" not in tags and "http" not in tags
    assert 'name="description"' in tags and 'content="summary"' in tags


def test_the_address_of_the_website_is_the_one_that_is_set_or_that_of_the_repository_s_pages() -> None:
    repository = "https://github.com/Some-Owner/The.Course"
    assert replace(here(), repository=PLACEHOLDER, website="").pages == ""
    assert (
        replace(here(), repository=repository, website="").pages == "https://some-owner.github.io/The.Course/"
    )
    assert replace(here(), repository=repository, website="https://x.org/").pages == "https://x.org/"


def test_shared_pictures_have_the_size_that_is_asked_for() -> None:
    file = io.BytesIO()
    Image.new("RGB", (800, 200), "red").save(file, "PNG")
    for picture in (page_head.picture_of_course(), page_head.picture_of_lesson(file.getvalue())):
        assert Image.open(io.BytesIO(picture)).size == page_head.SIZE
        assert len(picture) < 50_000


def test_a_style_sheet_is_small_and_means_the_same(tmp_path: Path) -> None:
    sheet = tmp_path / "x.css"
    sheet.write_text("/* Why. */\na b,\nc {\n  margin: 0 calc(1px + 2px);\n  color: red;\n}\n")
    assert page_head.style([sheet]) == "<style>a b,c{margin: 0 calc(1px + 2px);color: red;}</style>"
