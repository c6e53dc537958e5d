"""A lesson is added by the files that CONTRIBUTING.md names, and by nothing else: one is, to a copy of the course."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from copied import Copy
from loaderlab import course

pytestmark = pytest.mark.minutes(2)

NEW = "numbering"
SOURCES = Path(__file__).parents[1] / "helpers" / "new_lesson"
# The tests of the course as a whole, without those of lesson 0's own code; and those that look at each lesson.
WHOLE = (
    "tests/course/test_course_map.py",
    "tests/teaching/test_agenda.py",
    "tests/lessons/start_here/test_course.py",
    "tests/notebook/test_progress_map.py",
    "tests/publish/test_signposts.py",
)
EACH = (
    "tests/publish/test_notes.py",
    "tests/publish/test_points.py",
    "tests/publish/test_predictions.py",
    "tests/exercises/test_answers.py",
)


def add(root: Path) -> None:
    """Add the lesson to a copy as the last one: its folder, and the answers to its exercise."""
    folder = shutil.copytree(SOURCES / "lesson", root / "loaderlab" / "lessons" / NEW)
    shutil.copytree(SOURCES / "answers", root / "tests" / "lessons" / NEW / "answers")
    said = folder / "__init__.py"
    number = f"number={len(course.lessons())}"
    said.write_text(said.read_text("utf-8").replace("number=99", number), "utf-8")


@pytest.fixture(scope="module")
def copy(gettext: None, tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """The course with the new lesson, translated and built."""
    made = Copy(tmp_path_factory.mktemp("checkout"))
    add(made.root)
    built = made.run("tests/helpers/built_copy.py", NEW)
    assert built.returncode == 0, built.stdout + built.stderr
    return made


@pytest.mark.long
def test_the_check_finds_nothing_wrong(copy: Copy) -> None:
    checked = copy.run("-m", "loaderlab", "--language", "en", "build", "--check", "start_here", NEW)
    # Its translations are one word of the language, and the English.
    found = [line for line in checked.stdout.splitlines() if "no dictionary has" not in line]
    assert (found, checked.stderr) == ([], "")


@pytest.mark.long
@pytest.mark.parametrize(
    ("files", "chosen"),
    [(WHOLE, "not doctor and not real and not loop"), (EACH, NEW)],
    ids=["course", "lesson"],
)
def test_the_tests_of_the_course_and_of_the_lesson_pass(
    copy: Copy, files: tuple[str, ...], chosen: str
) -> None:
    tried = copy.pytest("-q", "-m", "", "-k", chosen, *files)
    assert tried.returncode == 0, tried.stdout[-8000:]


@pytest.mark.long
def test_lesson_0_and_the_readmes_show_it(copy: Copy) -> None:
    lesson = course.lessons()[-1].number + 1
    for file in ("README.md", "README.fr.md", "README.pl.md"):
        assert f"{lesson:02d}_{NEW}.ipynb" in (copy.root / file).read_text("utf-8")
    for folder in ("notebooks", "notebooks_fr", "notebooks_pl"):
        assert f"({lesson:02d}_{NEW}.ipynb)" in (copy.root / folder / "00_start_here.ipynb").read_text(
            "utf-8"
        )
    for folder in ("images", "images/fr", "images/pl"):
        assert f'id="lesson-{lesson}"' in (copy.root / folder / "start_here_map.svg").read_text("utf-8")
