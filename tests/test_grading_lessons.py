"""The grader on the course's own notebooks: every solution gets all points, every untouched one none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from handed_in import hand_in, solutions, student

from conftest import ROOT, STUDENT_FOLDERS, notebooks
from loaderlab import course, language
from loaderlab.workshop.grading import kit, run, submission


@pytest.fixture(scope="module")
def graded():
    """Every notebook of the course, by its name in a report."""
    if not hasattr(os, "fork"):
        pytest.skip("This system cannot fork.")
    language.use("en")
    found = submission.find([ROOT / folder for folder in STUDENT_FOLDERS.values()] + [ROOT / "solutions"])
    results, _notes = run.grade(found, jobs=os.cpu_count() or 1)
    return {Path(result.submission.file): result for result in results}


@pytest.mark.parametrize("name", notebooks())
def test_solutions_get_all_points_and_untouched_notebooks_none(graded, name: str) -> None:
    path = notebooks()[name]
    result = graded[path]
    lesson = course.lesson(path.stem.partition("_")[2])
    assert [grade.exercise for grade in result.grades] == list(lesson.exercises())
    assert result.maximum == sum(exercise.points for exercise in lesson.exercises().values()) > 0
    if "-solution-" in name:
        assert result.points == result.maximum, [grade for grade in result.grades if not grade.full]
        assert not [grade for grade in result.grades if grade.remarks]
    else:
        assert {grade.status for grade in result.grades} == {"untouched"}, result.grades


def test_the_kit_holds_no_answers(tmp_path: Path) -> None:
    kit.pack(tmp_path)
    names = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert "loaderlab/lessons/workers/probes.py" in names
    forbidden = (
        "exercises.py",
        "lesson.md",
        ".po",
        "judging.py",
        "loaderlab/find_the_bottleneck/repaired.py",
    )
    assert not [name for name in names if name.endswith(forbidden)]
    for lesson in course.lessons():
        assert not [name for name in lesson.answers if f"loaderlab/lessons/{lesson.name}/{name}" in names]


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
    assert len(journal.read_text().splitlines()) == 7
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


def test_an_interrupt_does_not_wait_for_an_answer_that_is_running(tmp_path: Path) -> None:
    """A child of ours is interrupted while the one answer sleeps; it must be gone long before that answer's time is."""
    source = "import time\ndef number_of_batches(samples, batch_size):\n    time.sleep(9)\n"
    endless = "import time\ntime.sleep(19)\n" + source  # the cell itself, and then its first call
    hand_in(tmp_path, "slow", student("start_here", {"number_of_batches": endless}))
    script = (
        "import sys; from pathlib import Path; from loaderlab.workshop.grading import run, submission\n"
        "told = lambda done, total, student: print(done, flush=True)\n"
        "run.grade(submission.find([Path(sys.argv[1])]), jobs=1, progress=told)\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None and process.stdout.readline() == b"0\n"
        time.sleep(4)  # torch is imported, and the answer sleeps
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        process.wait(timeout=60)
        assert time.monotonic() - begun < 12
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
        return len(journal.read_text().splitlines())

    head = "def number_of_batches(samples, batch_size):\n    return "
    assert grade(head + "1") == 5
    assert grade(head + "2") == 10  # all of the notebook's: an answer may build on another one
