"""The grader on the course's own notebooks: every solution gets all points, every untouched one none."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from handed_in import hand_in, solutions, student
from loaderlab import course
from loaderlab.i18n import language
from loaderlab.teaching.grading import run, submission, visible_package
from places import ROOT, STUDENT_FOLDERS
from sandbox import bubblewrap_starts

pytestmark = pytest.mark.minutes(3)

LESSONS = pytest.mark.parametrize(
    "lesson", [pytest.param(each, id=each.name, marks=pytest.mark.long) for each in course.lessons()]
)
FORKS = pytest.mark.skipif(not hasattr(os, "fork"), reason="This system cannot fork.")


def top(lesson: course.Lesson) -> int:
    """The points of a lesson."""
    return sum(exercise.points for exercise in lesson.exercises().values())


def untouched(lesson: course.Lesson) -> list[Path]:
    """Return the notebooks of a lesson as learners get them, in every language."""
    return [ROOT / folder / f"{lesson.file}.ipynb" for folder in STUDENT_FOLDERS.values()]


@pytest.fixture(scope="module")
def of_the_untouched() -> dict[Path, run.Result]:
    """The result of each untouched notebook, of one run: the grader's process that has torch starts once for all of them."""
    paths = [path for lesson in course.lessons() for path in untouched(lesson)]
    results, _notes = run.grade(submission.find(paths), jobs=os.cpu_count() or 1)
    return {Path(result.submission.file): result for result in results}


@FORKS
@LESSONS
def test_untouched_notebooks_get_no_points(
    lesson: course.Lesson, of_the_untouched: dict[Path, run.Result]
) -> None:
    for path in untouched(lesson):
        result = of_the_untouched[path]
        assert [grade.exercise for grade in result.grades] == list(lesson.exercises())
        assert {grade.status for grade in result.grades} == {"untouched"}, result.grades
        assert result.points == 0 and result.maximum == top(lesson) > 0


def solution(lesson: course.Lesson) -> Path:
    """Return the solution in one language: their code is the same, see the build."""
    solved = list(STUDENT_FOLDERS)[lesson.number % len(STUDENT_FOLDERS)]
    return ROOT / "solutions" / solved / f"{lesson.file}.ipynb"


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a run that probed all solutions: the grader's process that has torch starts once for all of them."""
    path = tmp_path_factory.mktemp("solutions") / "journal"
    found = submission.find([solution(lesson) for lesson in course.lessons()])
    run.grade(found, jobs=os.cpu_count() or 1, journal=path)
    return path


# Judges what was probed in a process that has imported nothing else, and says what was imported while judges were timed.
JUDGING = """
import json, os, sys
from contextlib import contextmanager
from pathlib import Path
from loaderlab.teaching.grading import judging, run, submission

limited, imported = judging.time_limit, set()

@contextmanager
def watched(seconds):
    known = set(sys.modules)
    with limited(seconds):
        yield
    imported.update(set(sys.modules) - known)

judging.time_limit = watched
solution, journal = map(Path, sys.argv[1:])
[result], notes = run.grade(submission.find([solution]), jobs=1, journal=journal, resume=True)
assert any("graded now: 0" in note for note in notes), notes
grades = [[grade.exercise, grade.status, grade.full, grade.remarks] for grade in result.grades]
print(json.dumps({"grades": grades, "maximum": result.maximum, "torch": "torch" in imported}))
"""


@FORKS
@LESSONS
def test_solutions_get_all_points_and_no_judge_has_torch_to_import_while_it_is_timed(
    lesson: course.Lesson, journal: Path
) -> None:
    command = [sys.executable, "-c", JUDGING, str(solution(lesson)), str(journal)]
    found = json.loads(subprocess.check_output(command, cwd=ROOT))
    assert [exercise for exercise, *_grade in found["grades"]] == list(lesson.exercises())
    assert found["maximum"] == top(lesson) and not found["torch"]
    # On a machine too busy to judge by, the grader says so.
    judged = [grade for grade in found["grades"] if grade[1] != "busy"]
    assert not [grade for grade in judged if not grade[2] or grade[3]]


def test_the_kit_holds_no_answers(tmp_path: Path) -> None:
    visible_package.pack(tmp_path)
    names = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert "loaderlab/lessons/workers/probes.py" in names
    forbidden = ("exercises.py", "lesson.md", ".po", "judging.py")
    assert not [name for name in names if name.endswith(forbidden)]
    for lesson in course.lessons():
        assert not [name for name in lesson.answers if f"loaderlab/lessons/{lesson.name}/{name}" in names]


def probed(journal: Path) -> int:
    """How many answers the journal has."""
    return sum('"key": "protection ' not in line for line in journal.read_text().splitlines())


@pytest.mark.long
def test_a_run_that_was_interrupted_goes_on_where_it_stopped(tmp_path: Path) -> None:
    language.use("en")
    for name in ("anna", "jan", "ola"):
        own = {exercise: f"{source}\n# {name}" for exercise, source in solutions("start_here").items()}
        hand_in(tmp_path, name, student("start_here", own))
    found, journal = submission.find([tmp_path]), tmp_path / "journal"
    seen: list[int] = []

    def stop(done: int, _total: int, _student: str) -> None:
        seen.append(done)
        if done == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.grade(found, jobs=2, journal=journal, progress=stop)
    assert probed(journal) == 7
    with journal.open("a") as file:
        file.write('{"key": "cut in mid-li')
    again: list[int] = []
    results, _notes = run.grade(
        found,
        jobs=2,
        journal=journal,
        resume=True,
        progress=lambda done, _total, _student: again.append(done),
    )
    assert again == list(range(7, 16))
    assert all(result.points == result.maximum for result in results)


@pytest.mark.long
def test_an_interrupt_does_not_wait_for_an_answer_that_is_running(tmp_path: Path) -> None:
    """A child of ours is interrupted while the one answer sleeps; it must be gone long before that answer's time is."""
    source = "import time\ndef number_of_batches(samples, batch_size):\n    time.sleep(9)\n"
    endless = "import time\ntime.sleep(19)\n" + source  # the cell itself, and then its first call
    hand_in(tmp_path, "slow", student("start_here", {"number_of_batches": endless}))
    script = (
        "import sys; from pathlib import Path; from loaderlab.teaching.grading import run, submission\n"
        "told = lambda done, total, student: print(done, flush=True)\n"
        f"run.grade(submission.find([Path(sys.argv[1])]), jobs=1, confined={bubblewrap_starts()}, progress=told)\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None and process.stdout.readline() == b"0\n"
        time.sleep(4)  # torch is imported, and the answer sleeps
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        process.wait(timeout=60)
        assert time.monotonic() - begun < 20
        assert process.returncode == -signal.SIGINT


def test_a_changed_answer_is_probed_again(tmp_path: Path) -> None:
    language.use("en")
    journal = tmp_path / "journal"

    def grade(answer: str) -> int:
        hand_in(tmp_path, "anna", student("start_here", {"number_of_batches": answer}))

        def stop(done: int, total: int, _student: str) -> None:
            if done == total:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run.grade(submission.find([tmp_path]), jobs=1, journal=journal, resume=True, progress=stop)
        return probed(journal)

    head = "def number_of_batches(samples, batch_size):\n    return "
    assert grade(head + "1") == 5
    assert grade(head + "2") == 10  # all of the notebook's: an answer may build on another one
