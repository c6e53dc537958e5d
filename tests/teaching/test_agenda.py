"""A timetable fills the day, breaks in time, says what is left, and speaks the instructor's language."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest

from loaderlab import cli, course
from loaderlab.course import Lesson, outline, timetable
from loaderlab.course.outline import Content, Outline, Part
from loaderlab.course.paths import PATHS, CoursePath
from loaderlab.course.timetable import BREAK, LUNCH, QUESTIONS
from loaderlab.i18n import language
from loaderlab.publish import readme
from loaderlab.publish.checkout import TRANSLATIONS, here
from publish_course import Course, build, course_at

HOURS = (1, 1.5, 2, 3, 4, 5, 5.5, 6, 8, 10, 12)


@pytest.fixture(scope="module")
def outlines() -> list[Outline]:
    return [outline.read(lesson).in_class for lesson in timetable.by_preference(course.lessons())]


@pytest.mark.parametrize("hours", HOURS)
def test_a_day_keeps_its_hours_its_breaks_and_time_for_questions(
    outlines: list[Outline], hours: float
) -> None:
    minutes = round(60 * hours)
    day = timetable.plan(outlines, minutes)
    assert 0.9 * minutes <= day[-1].end <= minutes
    assert [line.start for line in day] == [0, *(line.end for line in day[:-1])]
    assert all(line.minutes > 0 for line in day)
    pauses = [line for line in day if line.kind in (BREAK, LUNCH)]
    begins = [0, *(pause.end for pause in pauses)]
    ends = [*(pause.start for pause in pauses), day[-1].end]
    assert all(0 < end - begin <= 90 for begin, end in zip(begins, ends, strict=True))
    lunches = [line for line in day if line.kind == LUNCH]
    assert len(lunches) == (hours > 5)
    assert all(minutes / 4 <= lunch.start <= 3 * minutes / 4 for lunch in lunches)
    numbers = [line.outline.lesson.number for line in day if line.outline]
    assert numbers == sorted(numbers)
    assert day[-1].kind == QUESTIONS and day[-1].minutes >= min(3 * hours, 20)


@pytest.mark.parametrize("hours", HOURS)
def test_a_lesson_that_is_held_is_held_whole_with_an_exercise_if_there_are_more_than_two(
    outlines: list[Outline], hours: float
) -> None:
    day = timetable.plan(outlines, round(60 * hours))
    held = {line.outline.lesson.name for line in day if line.outline}
    for each in outlines:
        parts = [line.part for line in day if line.outline is each]
        if parts:
            assert parts == [part for part in each.parts if part in parts]
            assert all(part in parts for part in each.sections if part.minutes)
            assert len(held) <= 2 or any(part in parts for part in each.exercises)
            assert not any(part in parts for part in each.deeper)


def test_the_longest_lesson_alone_still_fits_into_an_hour(outlines: list[Outline]) -> None:
    longest = max(outlines, key=lambda each: each.lesson.minutes)
    day = timetable.plan([longest], 60)
    assert day[0].outline is longest and day[-1].end <= 60


def test_lesson_0_comes_first_and_the_last_lesson_of_the_paths_once_it_fits(outlines: list[Outline]) -> None:
    last = PATHS[1].lessons[-1]
    for hours in HOURS:
        lines = [line for line in timetable.plan(outlines, round(60 * hours)) if line.outline]
        assert lines[0].outline.lesson.number == 0
        assert (last in {line.outline.lesson.name for line in lines}) == (hours >= 4)


def test_a_short_workshop_takes_the_shortest_path_then_where_the_next_one_ends() -> None:
    lessons = course.lessons()
    names = [lesson.name for lesson in timetable.by_preference(lessons)]
    shortest, longer, day, whole = ([lesson.name for lesson in path.taken(lessons)] for path in PATHS)
    assert names[: len(shortest)] == shortest == ["start_here", "workers"]
    assert names[len(shortest)] == longer[-1] == "find_the_bottleneck"
    assert set(names[: len(longer)]) == set(longer) and set(names[: len(day)]) == set(day)
    assert sorted(names) == sorted(whole) == sorted(lesson.name for lesson in lessons)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.time)
def test_a_path_names_lessons_that_there_are_in_the_order_of_the_course(path: CoursePath) -> None:
    taken = [lesson.name for lesson in path.taken(course.lessons())]
    assert list(path.lessons or taken) == taken


def test_the_sections_of_each_lesson_take_the_minutes_that_it_declares() -> None:
    for each in map(outline.read, course.lessons()):
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


LESSON = """\
# Title: why?

Six words stand before a section.

+++ {"minutes": 1}

## One

+++ {"note": true}

Ask first.

- One item.

+++

```{code-cell} ipython3
lab.predict("wait")
```

```{code-cell} ipython3
:tags: [nbval-ignore-output]

# No line, and the next one is empty

lab.compare("wait", 1)
```

+++ {"explain": true}

Two words.

+++ {"deeper": true}

Folded, and not counted.

```{code-cell} ipython3
lab.explore("timeline")
```

+++ {"minutes": 1}

## Two

```{code-cell} ipython3
lab.explore("timeline", questions=True)
```
"""


def test_the_content_of_a_section_is_what_a_class_reads_hears_and_does(tmp_path: Path) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "lesson.md").write_text(LESSON)
    one, two = (part.content for part in outline.read(Lesson("odd", 7, 2, folder_root=tmp_path)).parts)
    said = ("Ask first.\n\n- One item.",)
    assert one == Content(11, 1, ("wait",), ("timeline",), (), 1, said)
    assert two == Content(1, 1, (), ("timeline",), ("timeline",), 1)
    words, bet, explorer = (11 + 4) / 130, 1.5, 3
    assert one.minutes(1.0) == pytest.approx(words + 1 / 8 + bet + explorer + 1 / 6)
    assert one.minutes(2.0) == pytest.approx(one.minutes(1.0) + words)


def test_in_a_class_a_lesson_takes_longer_and_in_french_no_less() -> None:
    for lesson in course.lessons():
        alone, english, french = (outline.read(lesson, code) for code in ("en", "en", "fr"))
        assert 1.2 < english.in_class.minutes.way / alone.minutes.way < 2.5
        assert english.in_class.minutes.way <= french.in_class.minutes.way
        assert english.in_class.minutes.exercises > alone.minutes.exercises


# The command.


def test_the_command_prints_each_line_with_its_time_and_what_is_left(
    outlines: list[Outline], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["--language", "en", "agenda", "--hours", "4", "--start", "13:30"]) == 0
    lines = capsys.readouterr().out.splitlines()
    day = timetable.plan(outlines, 240)
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line[:1] == "|"][2:]
    assert [row[0] for row in rows] == [
        f"{13 + (30 + line.start) // 60}:{(30 + line.start) % 60:02d}" for line in day
    ]
    assert rows[0][1:3] == ["20", ""] and rows[0][3].startswith("Welcome: ")
    assert rows[1][2:] == ["0 Start here", "1. Your own loop"]
    assert any(line.startswith("13:30 to 17:") for line in lines)
    homework, spare = [line for line in lines if line.startswith("- Lesson 1 Workers: ")]
    assert any("Lesson 7 DDP sampling: the whole lesson" in line for line in lines)
    workers = outline.read(course.lesson("workers")).in_class
    held = [line.part for line in day]
    assert all((part.heading in homework) == (part not in held) for part in workers.exercises)
    assert lines.index(spare) > lines.index("If time is left, to go deeper:")
    assert all(part.heading in spare for part in workers.deeper) and "the whole lesson" not in spare


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


def test_chosen_lessons_come_in_the_order_of_the_course(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["--language", "en", "agenda", "--hours", "4", "--lessons", "copy_on_write", "workers"])
    said = capsys.readouterr().out
    assert 0 < said.index("1 Workers") < said.index("5 Copy-on-write") and "0 Start here" not in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--hours", "0.5"], "Expected: 1 to 12 hours"),
        (["--hours", "nan"], "Expected: 1 to 12 hours"),
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
    two = text.partition("</details>")[0]
    lines = timetable.plan(outlines, 120)
    rows = groupby(lines, key=lambda line: line.outline.lesson.name if line.outline else line.kind)
    assert two.count("\n| ") == 1 + sum(1 for _ in rows)  # the lines of a lesson are many
    assert "| 0:00 | **0 Start here**, " in two and "; exercises: 1" in two


def test_a_day_of_eight_hours_holds_the_lessons_of_the_path_for_a_day(outlines: list[Outline]) -> None:
    held = {line.outline.lesson.name for line in timetable.plan(outlines, 480) if line.outline}
    assert held >= set(PATHS[2].lessons)  # and what else fits


def test_lessons_can_be_left_out_and_lunch_be_when_it_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["agenda", "--hours", "8", "--without", "ddp_sampling", "copy_on_write", "--lunch", "12:00"]
    assert cli.main(["--language", "en", *words]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [line for line in lines if line.startswith("| ")]
    assert not any("7 DDP" in row or "5 Copy" in row for row in rows)
    [lunch] = [row for row in rows if "| Lunch" in row]
    assert "11:15" <= lunch[2:7] <= "12:45"
    assert (
        cli.main(["--language", "en", "agenda", "--hours", "2", "--lessons", "warps", "--without", "warps"])
        == 1
    )
    assert "No lesson is left to plan" in capsys.readouterr().err


@pytest.mark.parametrize("code", ["en", "fr"])
def test_with_notes_each_section_has_what_is_said_there_and_the_answers(
    code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        assert (
            cli.main(["--language", code, "agenda", "--hours", "1", "--lessons", "workers", "--notes"]) == 0
        )
        said = capsys.readouterr().out
        workers = outline.read(course.lesson("workers"), code)
        for part in workers.sections:
            assert (f" · {part.heading}\n" in said) == bool(
                part.content.notes or part.content.guesses or part.content.asking
            )
        texts = language.messages(code, workers.lesson.folder)
        first = next(note for part in workers.sections for note in part.content.notes)
        paragraph = " ".join(first.split("\n\n")[0].split())
        assert texts.get(paragraph, paragraph) in said
        with language.speaking(code, workers.lesson.folder):
            [enough, *_others] = workers.lesson.questions()["timeline"]
            assert f"- {enough.asked.heading} {enough.asked.written(enough.answer())}" in said
    finally:
        language.use("en")
