"""Lesson 0 says true things of the others: its table of arguments, its links, the minutes of its paths, its model."""

import inspect
import re
from itertools import pairwise

import pytest
from torch.utils.data import DataLoader

from loaderlab import course
from loaderlab.course import outline, timetable
from loaderlab.i18n import language
from loaderlab.lessons.start_here import doctor, loops, scene
from loaderlab.measuring import measure
from processes import children

LESSON = course.lesson("start_here")
TEXT = (LESSON.folder / "lesson.md").read_text("utf-8")


ARGUMENTS = re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE)


def test_the_table_names_each_argument_of_dataloader_once_and_in_its_order():
    installed = list(inspect.signature(DataLoader).parameters)
    assert installed == ARGUMENTS


def test_the_lesson_that_a_row_names_mentions_the_argument():
    rows = re.findall(r"^\| `(\w+)` \|.*\((\w+)\.ipynb\) \|$", TEXT, re.MULTILINE)
    assert len(rows) == len(ARGUMENTS) - 2  # `dataset` is explained here, `pin_memory_device` nowhere
    for argument, file in rows:
        lesson = course.lesson(file.split("_", 1)[1])
        assert argument in (lesson.folder / "lesson.md").read_text("utf-8")


def test_every_link_to_a_notebook_leads_to_a_lesson_and_every_lesson_is_linked():
    linked = set(re.findall(r"\]\((\d\d_\w+)\.ipynb\)", TEXT))
    assert linked == {lesson.file for lesson in course.lessons() if lesson.number}
    assert set(re.findall(r"\]\(([^)]*\.ipynb)\)", TEXT)) == {f"{file}.ipynb" for file in linked}


def test_the_minutes_of_the_paths_are_those_of_their_lessons():
    minutes = {lesson.number: lesson.minutes for lesson in course.lessons()}
    sections = [part.minutes for part in outline.read(LESSON).sections]
    short = sections[4] + sections[5]
    begin = f"the cells of the opening and sections 5 and 6 of this lesson ({short} minutes)"
    last = course.lesson("find_the_bottleneck").number
    expected = [
        f"| one hour | {begin}, then lesson 1 | {short + minutes[1]} |",
        f"| half a day | lessons 0, 1 and {last} | {sum(minutes[n] for n in (0, 1, last))} |",
        f"| a whole day | lessons 0, 1, 5, 7 and {last} | {sum(minutes[n] for n in (0, 1, 5, 7, last))} |",
        f"| two days | all lessons | {sum(minutes.values())} |",
    ]
    assert [
        line for line in TEXT.split("\n") if re.match(r"\| (one hour|half a day|a whole day|two days) ", line)
    ] == expected


def test_an_hour_of_a_class_has_no_room_for_lesson_1_as_the_lesson_says():
    assert "with its exercises, lesson 1 takes more than an hour" in TEXT
    outlines = [outline.read(lesson).in_class for lesson in timetable.by_preference(course.lessons())]
    held = {line.outline.lesson.name for line in timetable.plan(outlines, 60) if line.outline}
    assert "start_here" in held and "workers" not in held


def test_a_log_becomes_bars_of_waiting_and_computing():
    language.use("en", LESSON.folder)
    log = [("ask", 0), ("batch", 5), ("done", 7), ("ask", 9), ("batch", 9), ("done", 12), ("ask", 12)]
    bars = [(row["kind"], row["start_ms"], row["end_ms"]) for row in loops.bars({"alone": log}).rows]
    assert bars == [("wait", 0, 5), ("compute", 5, 7), ("wait", 9, 9), ("compute", 9, 12)]


@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.parametrize(("load", "step"), [(20, 10), (10, 20), (7, 7)])
def test_the_drawn_loop_runs_at_the_pace_that_the_sentence_says(load, step, overlap):
    _loads, loop = scene.simulate(load, step, overlap)
    arrivals = [bar.start for bar in loop if bar.kind == "step"]
    assert {b - a for a, b in pairwise(arrivals)} == {scene.period(load, step, overlap)}
    assert arrivals[0] == load  # nobody loads ahead of the first


@pytest.mark.parametrize("overlap", [False, True])
def test_a_slower_loader_looks_slower(overlap):
    """The axis stays, so fewer steps fit into the picture."""
    inside = [
        sum(bar.end <= scene.WINDOW for bar in scene.simulate(load, 10, overlap)[1] if bar.kind == "step")
        for load in (20, 40, 80)
    ]
    assert inside == sorted(set(inside), reverse=True) and inside[-1] >= 4


def test_a_loader_with_overlap_is_at_most_two_batches_ahead():
    loads, loop = scene.simulate(1, 100, overlap=True)
    steps = [bar for bar in loop if bar.kind == "step"]
    for batch, bar in enumerate(steps):
        ready = sum(load.end <= bar.end for load in loads)
        assert ready - (batch + 1) <= scene.AHEAD


@pytest.mark.parametrize("overlap", [False, True])
def test_the_same_setting_runs_for_real(overlap):
    language.use("en", LESSON.folder)
    picture = scene.measure(load_ms=20, step_ms=10, overlap=overlap)
    predicted, measured = map(float, re.findall(r"(\d+\.\d) ms", picture.text))
    assert predicted == scene.period(20, 10, overlap)
    assert measured > 0.7 * predicted  # a busy machine is slower, and hardly ever faster


def test_a_worker_that_starts_for_seconds_does_not_fill_the_picture(monkeypatch):
    language.use("en", LESSON.folder)
    run = measure.Epoch(waits=[2.1, 0.01, 0.01], steps=[0.02] * 3, samples=[1] * 3)
    monkeypatch.setattr(measure, "epoch", lambda *_arguments: run)
    drawn = []
    monkeypatch.setattr(scene, "tracks", lambda shown, *_, text, **__: drawn.append((shown, text)))
    scene.measure(load_ms=30, step_ms=20, overlap=True)
    [(shown, text)] = drawn
    assert [(bar.kind, round(bar.start), round(bar.end)) for bar in shown["Measured"]["loop"]] == [
        ("step", 0, 20), ("wait", 20, 30), ("step", 30, 50), ("wait", 50, 60), ("step", 60, 80)
    ]  # fmt: skip
    assert "the first batch took 2100 ms" in text


def test_the_doctor_answers_in_the_notebooks_language():
    language.use("fr", LESSON.folder)
    assert "Méthode" in doctor.report()
    language.use("en", LESSON.folder)


def test_a_doctor_that_does_not_answer_is_stopped(monkeypatch):
    language.use("en", LESSON.folder)
    monkeypatch.setattr(doctor, "_CALL", "import time; time.sleep(600)")
    before = children()
    assert "did not finish within 1 s" in doctor.report(seconds=1)
    assert not children() - before
