"""What a lesson may not be, and what an exercise lacks, is found: each is broken once in a copy of a lesson."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from loaderlab import course
from loaderlab.i18n import language
from loaderlab.publish import checkout, limits, source
from loaderlab.publish.source import ASIDE, CODE, PROSE, Cell
from places import ROOT

pytestmark = pytest.mark.usefixtures("english")

NAME = "workers"
SETUP = "```{code-cell} ipython3\n:tags: [setup]"


@dataclass
class Copy:
    """A copy of lesson 1 and of its answers, in a checkout without other lessons."""

    root: Path

    @property
    def text(self) -> Path:
        return self.root / "loaderlab" / "lessons" / NAME / "lesson.md"

    @property
    def answers(self) -> Path:
        return self.root / "tests" / "lessons" / NAME / "answers"

    def edit(self, pattern: str, new: str, count: int = 1) -> None:
        text, found = re.subn(pattern, new, self.text.read_text("utf-8"), count=count, flags=re.MULTILINE)
        assert found
        self.text.write_text(text, "utf-8")

    def problems(self) -> list[str]:
        lesson = replace(course.lesson(NAME), folder_root=self.text.parents[1])
        found = limits.problems(replace(checkout.here(), root=self.root, lessons=(lesson,)), [NAME])
        return [each for each in found if "the sources have" not in each]


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    made = Copy(tmp_path)
    shutil.copytree(ROOT / "loaderlab" / "lessons" / NAME, made.text.parent)
    shutil.copytree(ROOT / "tests" / "lessons" / NAME / "answers", made.answers)
    return made


def test_a_lesson_of_the_course_is_within_its_limits(copy: Copy) -> None:
    assert copy.problems() == []


CELL = "```{code-cell} ipython3\npass\n```\n\n"


@pytest.mark.parametrize(
    ("pattern", "new", "said"),
    [
        (r"^\+\+\+ \{\"exercise\"", CELL * 11 + '+++ {"exercise"', "cells in the learners' notebook: 100. Allowed: at most 95."),
        (r"^\+\+\+ \{\"exercise\"", "A word.\n\n" * 500 + '+++ {"exercise"', "words on the way through the lesson: "),
        (re.escape(SETUP), "A word.\n\n" * 80 + SETUP, "words before the first `lab.predict`: "),
        (r"^\+\+\+ \{\"minutes\": (\d)\}$", r'+++ {"minutes": 3\1}', "minutes that the section "),
        (r"^## 2\. .*$", r"\g<0>\n\n" + "A word.\n\n" * 900, "minutes of the way through the lesson, in a class: "),
        (r"^lab\.score\(\)$", "lab.scores()", "below its exercises there is no cell `lab.score()`"),
        (r"\]\(#timeline\?", "](#timelines?", "the link `#timelines?"),
        (r"are just enough\?", "are just enough? And with 2 cores?", "its field takes (question marks: 2, fields: 1)."),
        (r"lab\.check\(\"tensor_loader\"", 'lab.check("tensor_load"', "a hint or a check of 'tensor_load'"),
    ],
)  # fmt: skip
def test_a_lesson_beyond_a_limit_is_told_with_file_finding_and_cure(
    copy: Copy, pattern: str, new: str, said: str
) -> None:
    copy.edit(pattern, new)
    found = [each for each in copy.problems() if said in each]
    assert len(found) == 1, copy.problems()
    assert found[0].startswith(f"loaderlab/lessons/{NAME}/lesson.md: ") and found[0].endswith(".")


@pytest.mark.parametrize(
    ("limit", "found"), [(limits.GUESSES, 2), (limits.GUESSES, 8), (limits.MYTHS, 2), (limits.NOTES, 4)]
)
def test_too_few_are_told_as_too_many_are(limit: limits.Limit, found: int) -> None:
    assert limit.least <= limit.most
    (said,) = limits.beyond(limit, found, "lesson.md")
    assert said.startswith(f"lesson.md: {limit.what}: {found}. Allowed: ") and said.endswith(limit.cure)
    assert list(limits.beyond(limit, limit.most, "lesson.md")) == []


def test_notes_that_are_marked_no_longer_are_too_few(copy: Copy) -> None:
    copy.edit(r"^\+\+\+ \{\"note\": true\}$", "+++", count=9)
    assert any("notes for the instructor: 0. Allowed: 5 to 9." in each for each in copy.problems())


def test_the_cells_are_those_of_the_learners_notebook() -> None:
    for lesson in course.lessons():
        path = ROOT / "notebooks" / f"{lesson.file}.ipynb"
        cells = json.loads(path.read_text("utf-8"))["cells"]
        assert limits.in_notebook(source.read(lesson).cells) == len(cells)


def without_answers(copy: Copy) -> None:
    for path in copy.answers.glob("tensor_loader*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def without_those_that_miss(copy: Copy) -> None:
    """Leave the first criterion without a wrong answer."""
    for path in copy.answers.rglob("*.py"):
        text = path.read_text("utf-8")
        path.write_text(re.sub(r"(fails:? )0, ", r"\1", text), "utf-8")
        if re.search(r"fails:? 0\n", text):
            path.unlink()


def with_a_criterion_too_many(copy: Copy) -> None:
    path = next(path for path in copy.answers.rglob("*.py") if "fails" in path.read_text("utf-8"))
    path.write_text(re.sub(r"(fails:? \d)", r"\1, 99", path.read_text("utf-8"), count=1), "utf-8")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (without_answers, "answers to the exercise tensor_loader, right ones: 1. Allowed: at least 4"),
        (without_answers, "answers to the exercise tensor_loader, wrong ones: 0. Allowed: at least 4"),
        (without_answers, "no wrong answer to the exercise tensor_loader misses its criterion 2"),
        (without_those_that_miss, "misses its criterion 0, "),
        (with_a_criterion_too_many, "fails the criterion 99, which does not exist"),
    ],
)
def test_an_exercise_without_its_answers_is_told(
    copy: Copy, change: Callable[[Copy], None], said: str
) -> None:
    change(copy)
    assert any(said in each for each in copy.problems()), copy.problems()


def test_answers_in_one_file_are_counted(tmp_path: Path) -> None:
    cells = ["# %% right: a loop", "# %% wrong: one too few · fails 0, 2", "# %% wrong: nothing · fails 1"]
    (tmp_path / "double.py").write_text("\nx = 1\n\n".join(cells), "utf-8")
    assert list(limits.answers(tmp_path / "double.py")) == [(), (0, 2), (1,)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("All 36 exercises.", "'36 exercises', but the sources have 37"),
        ("Of the eight lessons", "'eight lessons', but the sources have 9"),
        ("of 37 graded exercises, in 9 lessons", ""),
        ("<!-- some:begin -->\n3 lessons\n<!-- some:end -->", ""),
    ],
)
def test_a_number_in_a_page_that_the_sources_do_not_give_is_told(
    tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text(text, "utf-8")
    here = replace(checkout.here(), root=tmp_path)
    found = list(limits.of_documents(here, {"lessons": 9, "exercises": 37}))
    assert bool(found) == bool(said)
    assert all(each.startswith("docs/page.md: ") and said in each for each in found)


def cell(role: str, text: str, *, deeper: bool = False) -> Cell:
    return Cell(role, text, "", (), "id", "tiny/lesson.md, a cell", deeper)


@pytest.mark.parametrize(
    ("before", "deeper", "after", "missing"),
    [
        ("", "rows = [1]", "print(rows)", ["rows"]),
        ("rows = []", "rows = [1]", "print(rows)", ["rows"]),
        ("rows = []", "rows = [1]", "rows = [2]\nprint(rows)", []),
        ("", "import gc", "def clean():\n    gc.collect()", ["gc"]),
        ("", "%%writefile {lab.scratch}/one.py\nx = 1", "import one", ["one.py"]),
        ("", "%%writefile {lab.scratch}/one.py\nx = 1", "run(lab.scratch / 'one.py')", ["one.py"]),
        ("", "%%writefile {lab.scratch}/one.py\nx = 1", "print(x)", []),
    ],
)
def test_whoever_skips_what_goes_deeper_misses_it(
    before: str, deeper: str, after: str, missing: list[str]
) -> None:
    told = cell(CODE, before), cell(CODE, deeper, deeper=True), cell(CODE, after)
    assert [re.findall(r"needs ([\w.]+),", line) for line in limits.strayed("lesson.md", told)] == [
        [name] for name in missing
    ]


def test_a_name_that_is_given_again_is_found() -> None:
    def lost(codes: list[str]) -> list[str]:
        found = limits.lost("lesson.md", [cell(CODE, each) for each in codes])
        return [re.findall(r"compares (\w+),", line)[0] for line in found]

    compare = 'lab.compare("many", [found(n) for n in rows])'
    before = ["import lab", "rows = [1]", "def found(n): return n", compare]
    assert lost(before) == []
    assert lost([*before, "[rows for rows in ()]\nother = lambda found: found"]) == []
    above = "found_of = {row: 1 for row in rows}\nlab.compare('many', found_of[1])"
    assert lost([*before[:2], above, "rows = 2"]) == ["rows"]
    for later in ("for found in (): pass", "found, b = 1, 2", "import found", "with x as found: pass"):
        assert lost([*before, later]) == ["found"]
    assert lost([*before, "%%writefile x.py\nrows = 2"]) == []


def test_a_section_that_goes_deeper_ends_where_one_of_its_level_or_a_higher_begins() -> None:
    told = (
        (PROSE, "## 1."), (ASIDE, "### One"), (CODE, "a"), (PROSE, "### Two"), (CODE, "b"),
        (ASIDE, "## 2."), (CODE, "c"), (PROSE, "### Three"), (CODE, "d"), (PROSE, "Text."), (PROSE, "## 3."), (CODE, "e"),
    )  # fmt: skip
    placed = source.placed(cell(role, text) for role, text in told)
    assert [at for at, each in enumerate(placed) if each.off_the_way] == [1, 2, 5, 6, 7, 8, 9]


def test_limits_are_said_in_every_language() -> None:
    said = set()
    for code in language.LANGUAGES:
        with language.speaking(code):
            said |= set(limits.beyond(limits.NOTES, 1, "lesson.md"))
    assert len(said) == len(language.LANGUAGES)


def test_a_note_has_no_place_among_the_words_before_the_first_field(copy: Copy) -> None:
    copy.edit(re.escape(SETUP), '+++ {"note": true}\n\n' + "A word.\n\n" * 80 + SETUP)
    assert not any("words before" in each for each in copy.problems())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cases": ("plateu",)}, "criterion 0 of the exercise choose_num_workers names the case 'plateu'"),
        ({"drawn": lambda random: [{1: [1.0]}, 0.1]}, "does not answer a drawn case, [{1: [1.0]}, 0.1]"),
        ({"drawn": lambda random: ({}, 0.1)}, "does not answer a drawn case, ({}, 0.1): ValueError"),
    ],
)
def test_what_a_criterion_asks_of_its_table_is_tried(
    copy: Copy, monkeypatch: pytest.MonkeyPatch, change: dict[str, object], said: str
) -> None:
    exercises = course.lesson(NAME).exercises()
    asked = exercises["choose_num_workers"]
    first, *others = asked.criteria
    broken = replace(asked, criteria=(replace(first, **change), *others))  # type: ignore[arg-type]
    monkeypatch.setattr(course.Lesson, "exercises", lambda self: exercises | {asked.name: broken})
    assert any(said in problem for problem in copy.problems())
