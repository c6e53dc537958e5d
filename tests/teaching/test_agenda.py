"""A timetable takes up the day exactly, breaks in time, forgets nothing, and speaks the instructor's language."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest

from loaderlab import cli, course
from loaderlab.course import Lesson, outline, timetable
from loaderlab.course.outline import Outline, Part
from loaderlab.course.paths import PATHS, CoursePath
from loaderlab.course.timetable import BREAK, LUNCH, QUESTIONS, WORK, Timetable
from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.publish import readme
from loaderlab.publish.checkout import TRANSLATIONS, here
from loaderlab.teaching import agenda
from publish_course import Course, build, course_at

HOURS = (1, 1.5, 2, 3, 4, 5, 5.5, 6, 8, 10, 12)


@pytest.fixture(scope="module")
def outlines() -> list[Outline]:
    return [outline.read(lesson) for lesson in timetable.by_preference(course.lessons())]


def invented(chance: random.Random, number: int) -> Outline:
    """A lesson of random length."""
    sections = [Part(f"{n}. Section", chance.randint(0, 25)) for n in range(chance.randint(1, 9))]
    deeper = [Part(f"{n}. Aside", chance.randint(1, 25), deeper=True) for n in range(chance.randint(0, 3))]
    exercises = [Part(f"Exercise {n}", chance.randint(1, 30), f"e{n}") for n in range(chance.randint(0, 5))]
    minutes = sum(part.minutes for part in sections)
    return Outline(
        Lesson(f"lesson{number}", number, minutes), f"Lesson {number}: why?", (*sections, *deeper, *exercises)
    )


def expect_sound(day: Timetable, minutes: int) -> None:
    assert day.minutes == minutes
    ends = [line.start + line.minutes for line in day.lines]
    assert [line.start for line in day.lines] == [0, *ends[:-1]]
    assert all(line.minutes > 0 for line in day.lines)
    is_pause = [line.kind in (BREAK, LUNCH) for line in day.lines]
    assert not is_pause[0] and not is_pause[-1]
    for pause, lines in groupby(zip(is_pause, day.lines, strict=False), key=lambda pair: pair[0]):
        length = sum(line.minutes for _pause, line in lines)
        assert length >= 10 if pause else length <= 90
    lunches = [line for line in day.lines if line.kind == LUNCH]
    assert len(lunches) == (minutes > 5 * 60)
    for lunch in lunches:
        assert lunch.minutes >= 60 and minutes / 4 <= lunch.start <= 3 * minutes / 4
    numbers = [line.outline.lesson.number for line in day.lines if line.outline]
    assert numbers == sorted(numbers)


def test_a_day_is_full_and_has_its_breaks_whatever_its_length(outlines: list[Outline]) -> None:
    for minutes in (*range(60, 721, 7), 301, 300, 96, 99):
        expect_sound(timetable.plan(outlines, minutes), minutes)


@pytest.mark.parametrize("seed", range(60))
def test_so_has_a_day_of_any_lessons(seed: int, english: None) -> None:
    chance = random.Random(seed)
    minutes = chance.randint(60, 720)
    lessons = [invented(chance, number) for number in range(chance.randint(1, 6))]
    try:
        day = timetable.plan(chance.sample(lessons, len(lessons)), minutes)
    except LabError as error:
        assert "No lesson fits" in str(error)
        assert all(each.lesson.minutes > minutes / 2 for each in lessons)
    else:
        expect_sound(day, minutes)


@pytest.mark.parametrize("hours", HOURS)
def test_whatever_a_lesson_has_is_held_or_homework_and_nothing_twice(
    outlines: list[Outline], hours: float
) -> None:
    day = timetable.plan(outlines, round(60 * hours))
    held = [(line.outline, line.part) for line in day.lines if line.kind == WORK]
    left = [(lesson, part) for lesson, parts in day.homework for part in parts]
    everything = [
        (each, part) for each in outlines for part in each.parts if part.minutes and not part.deeper
    ]
    assert len(held) + len(left) == len(everything)
    assert all(pair in held or pair in left for pair in everything)
    for lesson in {id(each): each for each, _part in held}.values():  # a lesson that is held is held whole
        assert not [part for each, part in left if each is lesson and not part.exercise]


@pytest.mark.parametrize("hours", [hours for hours in HOURS if hours >= 2])
def test_a_day_of_several_lessons_keeps_time_for_questions(outlines: list[Outline], hours: float) -> None:
    day = timetable.plan(outlines, round(60 * hours))
    assert sum(line.minutes for line in day.lines if line.kind == QUESTIONS) >= 3 * hours


def test_lesson_0_comes_first_and_the_last_lesson_of_the_paths_once_it_fits(outlines: list[Outline]) -> None:
    last = PATHS[1].lessons[-1]
    for hours in HOURS:
        lines = [line for line in timetable.plan(outlines, round(60 * hours)).lines if line.outline]
        assert lines[0].outline.lesson.number == 0
        assert (last in {line.outline.lesson.name for line in lines}) == (hours >= 3)


def test_a_short_workshop_takes_the_shortest_path_then_where_the_next_one_ends() -> None:
    lessons = course.lessons()
    names = [lesson.name for lesson in timetable.by_preference(lessons)]
    shortest, longer, whole = ([lesson.name for lesson in path.taken(lessons)] for path in PATHS)
    assert names[: len(shortest)] == shortest == ["start_here", "workers"]
    assert names[len(shortest)] == longer[-1] == "find_the_bottleneck"
    assert set(names[: len(longer)]) == set(longer)
    assert sorted(names) == sorted(whole) == sorted(lesson.name for lesson in lessons)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.time)
def test_a_path_names_lessons_that_there_are_in_the_order_of_the_course(path: CoursePath) -> None:
    taken = [lesson.name for lesson in path.taken(course.lessons())]
    assert list(path.lessons or taken) == taken


def test_the_sections_of_each_lesson_take_the_minutes_that_it_declares(outlines: list[Outline]) -> None:
    for each in outlines:
        assert sum(part.minutes for part in each.sections) == each.lesson.minutes
        assert [part.exercise for part in each.exercises] == list(each.lesson.exercises())


def test_headings_in_code_and_in_fences_are_no_sections(tmp_path) -> None:
    text = '# Title: why?\n\n+++ {"minutes": 3}\n\n## One\n\n```python\n## not this\n```\n\n### nor this\n'
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "lesson.md").write_text(text)
    found = outline.read(Lesson("odd", 7, 3, folder_root=tmp_path))
    assert (found.name, found.parts) == ("7 Title", (Part("One", 3),))


def test_what_goes_deeper_has_minutes_and_is_not_on_the_way(tmp_path: Path) -> None:
    mark = '+++ {"minutes": 2, "deeper": true}'
    text = f'# Title\n\n+++ {{"minutes": 3}}\n\n## One\n\n{mark}\n\n### Aside\n\n{mark}\n\n## Two\n\n+++\n\n### In it\n'
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "lesson.md").write_text(text)
    found = outline.read(Lesson("odd", 7, 3, folder_root=tmp_path))
    assert found.sections == [Part("One", 3)]
    assert found.deeper == [Part("Aside", 2, deeper=True), Part("Two", 2, deeper=True)]


# The command.


def test_the_command_prints_each_line_with_its_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--language", "en", "agenda", "--hours", "4", "--start", "13:30"]) == 0
    lines = capsys.readouterr().out.splitlines()
    day = agenda.propose(240)
    times = [line.split()[0] for line in lines[2 : 2 + len(day.lines)]]
    assert times == [f"{13 + (30 + line.start) // 60}:{(30 + line.start) % 60:02d}" for line in day.lines]
    assert "13:30 to 17:30, minutes: 240" in lines
    assert any("Lesson 7 DDP sampling: the whole lesson" in line for line in lines)
    *_homework, spare = [line for line in lines if line.startswith("- Lesson 1 Workers: ")]
    assert lines.index(spare) > lines.index("Where time is left, deeper:")
    deeper = outline.read(course.lesson("workers")).deeper
    assert all(part.heading in spare for part in deeper) and "the whole lesson" not in spare


@pytest.mark.parametrize("code", TRANSLATIONS)
def test_it_speaks_the_language_of_the_instructor_wherever_that_is_said(
    code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for words in (
        ["--language", code, "agenda", "--hours", "2"],
        ["agenda", "--hours", "2", "--language", code],
    ):
        cli.main(words)
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    found = outline.read(course.lesson("start_here"), code)
    assert found.title != outline.read(course.lesson("start_here")).title
    assert found.name in said[0] and found.parts[0].heading in said[0]
    language.use("en")


def test_markdown_has_the_same_cells(capsys: pytest.CaptureFixture[str], english: None) -> None:
    cli.main(["--language", "en", "agenda", "--hours", "2", "--markdown"])
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines() if line[:1] == "|"]
    day = agenda.propose(120)
    assert len(rows) == 2 + len(day.lines)
    assert rows[2] == ["09:00", "5", "0 Start here", "1. Your own loop"]


def test_chosen_lessons_come_in_the_order_of_the_course(english: None) -> None:
    day = agenda.propose(240, ["copy_on_write", "workers"])
    names = list(dict.fromkeys(line.outline.lesson.name for line in day.lines if line.outline))
    assert names == ["workers", "copy_on_write"]
    assert day.lines[-1].kind == QUESTIONS


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--hours", "0.5"], "Expected: 1 to 12 hours"),
        (["--hours", "4", "--start", "25:00"], "such as 09:00"),
        (["--hours", "4", "--lessons", "nonsense"], "The lessons are: start_here"),
    ],
)
def test_what_cannot_be_planned_is_said(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["--language", "en", "agenda", *words]) == 1
    assert said in capsys.readouterr().err


# What authors are told, and the README.


@pytest.fixture(scope="module")
def built(gettext: None, tmp_path_factory: pytest.TempPathFactory) -> Course:
    root = tmp_path_factory.mktemp("course")
    build(root)
    return course_at(root)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('+++ {"minutes": 5}', '+++ {"minutes": 6}', "lesson.md: its sections take 6 minutes together"),
        ('+++ {"minutes": 5}', "+++", "the section 'Add up' does not say how many minutes"),
        ('{"minutes": 5}', '{"minutes": "5"}', "the section 'Add up' does not say how many minutes"),
        ("Ask who", "# Ask\n\nAsk who", "a heading in a note for the instructor"),
    ],
)
def test_the_check_says_where_minutes_or_notes_are_wrong(
    built: Course, english: None, old: str, new: str, said: str
) -> None:
    before = built.source.read_text("utf-8")
    try:
        built.edit(built.source, old, new)
        assert any(said in problem for problem in built.problems())
    finally:
        built.source.write_text(before, "utf-8")


def test_the_timetables_get_a_row_for_each_lesson_between_two_breaks(outlines: list[Outline]) -> None:
    checkout = replace(here(), lessons=tuple(course.lessons()))
    page = readme.docs(checkout)[checkout.root / "docs" / "teaching.md"]
    text = re.search("<!-- agenda:begin -->(.*?)<!-- agenda:end -->", page, re.DOTALL)[1]
    for hours in readme.HOURS:
        assert f"<summary>{hours} hours</summary>" in text
    day = timetable.plan(outlines, 120)
    two = text.partition("</details>")[0]
    assert two.count("\n| ") == 1 + len(day.blocks())
    assert "| 0:00 | **0 Start here**, " in two and "; exercises: 1, 2" in two


def test_a_chosen_lesson_is_held_with_fewer_exercises_rather_than_not_at_all(english: None) -> None:
    day = agenda.propose(120, ["workers", "shared_memory"])
    assert {line.outline.lesson.name for line in day.lines if line.outline} == {"workers", "shared_memory"}


@pytest.mark.parametrize("hours", ["nan", "inf", "-inf", "abc"])
def test_hours_that_are_no_number_are_refused(capsys: pytest.CaptureFixture[str], hours: str) -> None:
    with pytest.raises(SystemExit):
        cli.main(["agenda", f"--hours={hours}"])
    assert "expected a number of hours" in capsys.readouterr().err
