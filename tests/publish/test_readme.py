"""The first page in three languages: what is generated in it, what it promises, where its links lead."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

import showcase
from loaderlab import drawing
from loaderlab.course import outline
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES
from loaderlab.publish import checkout, press, readme
from loaderlab.publish.checkout import PLACEHOLDER
from places import ROOT
from publish_course import Course

FILES = {language: "README.md" if language == "en" else f"README.{language}.md" for language in LANGUAGES}
MOST_BYTES = 300_000  # of the animation


def page(course: Course, language: str) -> str:
    return (course.checkout.root / FILES[language]).read_text("utf-8")


# What is generated.


def test_a_lesson_is_listed_in_the_reader_s_language_with_one_badge_and_links_to_the_others(
    course: Course,
) -> None:
    for language, title, other in (("en", "A tiny lesson", "fr"), ("pl", "Oto A\u00a0tiny lesson", "en")):
        text, name = page(course, language), course.checkout.name
        (row,) = [line for line in text.splitlines() if line.startswith("| 1 |")]
        assert row.startswith(f"| 1 | [{title}]({name(course.notebook(language))}) | ")
        assert f"[{other}]({name(course.notebook(other))})" in row
        assert re.search(r" \| 5\u00a0\+\u00a00\u00a0\+\u00a06 \| \d+ \| \[!\[", row)
        assert text.count("colab-badge.svg") == 1 and text.endswith("End.\n")


def test_a_translation_says_what_it_was_made_of_and_leads_to_its_own_notebooks(course: Course) -> None:
    text = page(course, "fr")
    assert text.startswith("<!-- Made by `loaderlab build` from README.md and docs/locale/fr.po")
    assert "# Voilà Course" in text and "**Français**" in text and "[English](README.md)" in text
    assert "[Begin](notebooks_fr/01_tiny.ipynb)" in text
    assert "make lab LESSONS_IN=fr" in text and "git clone https://github.com/o/n && cd n" in text


def test_without_an_address_there_is_nothing_to_clone_and_no_badge(course: Course) -> None:
    here = replace(course.checkout, repository=PLACEHOLDER)
    press.build(here, ["tiny"], say=lambda line: None)
    for language in LANGUAGES:
        text = page(course, language)
        assert "make lab" in text and "badge" not in text and "github" not in text
        assert "git clone ADDRESS loader-lab && cd loader-lab" in text and "**Code**" in text


@pytest.mark.parametrize("website", ["", "https://o.github.io/n/"])
def test_with_an_address_the_first_page_has_its_badges_and_a_website_where_there_is_one(website: str) -> None:
    here = replace(checkout.here(), repository="https://github.com/o/n", ref="v1.0", website=website)
    found = readme._badges(here, "fr")
    assert "](https://github.com/o/n/actions/workflows/ci.yml)" in found
    assert (
        f"](https://colab.research.google.com/github/o/n/blob/v1.0/notebooks_fr/{here.lessons[0].file}.ipynb)"
        in found
    )
    assert found.count("](https://o.github.io/n/fr/index.html)") == bool(website)
    assert found.count("](") == 5 - (not website)
    assert readme._badges(replace(here, repository=PLACEHOLDER), "fr") == ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_minutes_and_paths_are_those_of_the_lessons(language: str) -> None:
    here = checkout.here()
    text = readme._paths(here)
    alone = [outline.read(lesson) for lesson in here.lessons]
    whole, together = (
        outline.Minutes(*map(sum, zip(*(each.minutes for each in outlines), strict=True)))
        for outlines in (alone, [each.in_class for each in alone])
    )
    assert f"| two days | all | {whole} | {together} |" in text
    assert f"takes about {round(sum(whole) / 60)} hours, or {round(sum(together) / 60)} in a class." in text
    assert "| one hour | 0 (sections 5, 6), 1 |" in text
    page = (ROOT / FILES[language]).read_text("utf-8")
    for each in alone:
        row = rf"^\| {each.lesson.number} \| .* \| {re.escape(str(each.minutes))} \|"
        assert re.search(row, page, re.MULTILINE)


def test_a_readme_without_a_place_for_the_table_is_refused(course: Course) -> None:
    (course.checkout.root / "README.md").write_text("# Course\n")
    with pytest.raises(LabError, match="lessons:begin"):
        course.build()


def test_a_sentence_that_changed_asks_for_its_translation(course: Course) -> None:
    course.edit(course.checkout.root / "README.md", "End.", "The end of it.")
    assert any(problem.startswith("docs/locale/fr.po") for problem in course.problems())


# The course's own.


@pytest.mark.parametrize("language", LANGUAGES)
def test_links_and_pictures_are_there_and_a_lesson_has_the_sections_that_are_named(language: str) -> None:
    text = (ROOT / FILES[language]).read_text("utf-8")
    links = re.findall(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", text)
    assert len(links) > 40
    for picture, words, target in links:
        target, _hash, section = target.partition("#")
        if not target.startswith("http"):
            assert (ROOT / target).exists(), target
        if section:  # as GitHub makes it of a heading
            headings = re.findall(r"^#+ (.+)$", (ROOT / target).read_text("utf-8"), re.MULTILINE)
            slugs = [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]
            assert section in slugs, (target, section)
        assert words.strip(), target
        if not picture and target.endswith(".ipynb"):
            headings = (ROOT / target).read_text("utf-8")
            for number in re.findall(r"(?<=\D )(\d)(?= |$)", words.partition(",")[2]):
                assert re.search(rf'"## {number}\. ', headings), (target, number)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_lesson_promises_something_in_every_language(language: str) -> None:
    text = (ROOT / FILES[language]).read_text("utf-8")
    folder = checkout.here().folder(language, "exercises").name
    promised = dict(re.findall(rf"\| \d \| \[([^\]]+)\]\({folder}/(\w+)\.ipynb\) \|", text))
    assert len(promised) == len(checkout.here().lessons)
    for lesson in checkout.here().lessons:
        assert lesson.promise and (language == "en") == (lesson.promise in promised)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_animation_is_small_and_moves_for_a_few_seconds(language: str) -> None:
    path = showcase.file(language)
    assert path.stat().st_size < MOST_BYTES
    assert showcase.is_current(path, language), "python tools/showcase.py"
    with Image.open(path) as film:
        assert film.n_frames == len(showcase.WORKERS) and film.info["loop"] == 0
        seconds, ground = 0.0, set()
        for number in range(film.n_frames):
            film.seek(number)
            seconds += film.info["duration"] / 1000
            ground.add(film.convert("RGB").getpixel((0, 0)))
    assert 4 < seconds < 12 and ground == {(255, 255, 255)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_says_of_the_animation_what_the_model_says(language: str) -> None:
    text = " ".join((ROOT / FILES[language]).read_text("utf-8").split())
    for pace in (showcase.paces(language)[0], showcase.paces(language)[-1]):
        assert " ".join(pace.split()) in text


def test_an_animation_of_another_model_is_drawn_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "explorer.gif"
    path.write_bytes(showcase.animation("en"))
    assert showcase.is_current(path, "en") and not showcase.is_current(path, "fr")
    with monkeypatch.context() as changed:
        changed.setattr(showcase, "LOOP", replace(showcase.LOOP, load_ms=41))
        assert not showcase.is_current(path, "en")
    assert showcase.is_current(path, "en")
    monkeypatch.setattr(showcase, "timeline", drawing.chart)  # drawn by another file
    assert not showcase.is_current(path, "en")


def test_the_picture_of_pages_is_the_one_that_the_lesson_shows_in_each_language() -> None:
    found = readme.pictures(checkout.here())
    assert len(found) == len(LANGUAGES)
    for path, png in found.items():
        assert Image.open(io.BytesIO(png)).width >= 1600 and path.read_bytes() == png


def test_what_the_first_page_no_longer_says_is_in_docs() -> None:
    said = {
        name: (ROOT / "docs" / name).read_text("utf-8") for name in ("hub.md", "scripts.md", "teaching.md")
    }
    assert "DockerSpawner" in said["hub.md"] and "emptyDir" in said["hub.md"]
    assert "loaderlab take efficient_dataloader" in said["scripts.md"] and "peers:begin" in said["scripts.md"]
    for language in LANGUAGES:
        assert all(f"(docs/{name})" in (ROOT / FILES[language]).read_text("utf-8") for name in said)
