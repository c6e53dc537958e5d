"""A platform's own export comes back with grades for the right people in the right column, and nothing else changed."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import pytest

import exported
from loaderlab import course
from loaderlab.exercises.exercise import Verdict
from loaderlab.i18n.errors import LabError
from loaderlab.teaching.grading import gradebook, roster, weights
from loaderlab.teaching.grading.grade import Grade, Result
from loaderlab.teaching.grading.record import records
from loaderlab.teaching.grading.submission import Submission

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="A class is graded in WSL there.")


def result(student: str, solved: int, number: str = "", lesson: str = "start_here") -> Result:
    """A notebook in which the first ``solved`` exercises have all points, and the others none."""
    grades = [
        Grade(name, Verdict(one.points if place < solved else 0, one.points, ""), "graded")
        for place, (name, one) in enumerate(course.lesson(lesson).exercises().items())
    ]
    return Result(Submission(student, f"{student}.ipynb", lesson, number=number), tuple(grades))


ALL = len(course.lesson("start_here").exercises())
TOP = sum(one.points for one in course.lesson("start_here").exercises().values())
FIRST = next(iter(course.lesson("start_here").exercises().values())).points


def filled(tmp_path: Path, text: str, results: list[Result], column: str = "") -> tuple[str, list[str]]:
    """The export, filled in, and the notes."""
    (tmp_path / "export.csv").write_bytes(text.encode())
    book = gradebook.read(tmp_path / "export.csv")
    lessons = list(dict.fromkeys(one.submission.lesson for one in results))
    columns = book.columns(lessons, column)
    notes = book.fill(tmp_path / "filled.csv", columns, records(results), weights.EQUAL)
    return (tmp_path / "filled.csv").read_bytes().decode(), notes


def table(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("code", exported.WORKSHEETS)
def test_moodles_worksheet_gets_grades_of_its_own_maximum_and_keeps_all_else(tmp_path, code):
    given = exported.WORKSHEETS[code]
    text, notes = filled(
        tmp_path, given, [result("A. Kowalska", ALL, "7781"), result("someone", 1, "7782"), result("Bob", 1)]
    )
    before, after = table(given), table(text)
    assert [row[4] for row in after[1:]] == ["20.00", f"{20 * FIRST / TOP:.2f}", ""]
    assert [row[:4] + row[5:] for row in after] == [row[:4] + row[5:] for row in before]
    assert any("Zoé Martin" in note for note in notes) and any("Bob" in note for note in notes)


def test_a_worksheet_without_names_goes_by_the_number(tmp_path):
    """As of an assignment that Moodle shows anonymously; there the folders are called "Participant_7781_…"."""
    given = "Identifier,Status,Grade,Maximum grade\nParticipant 7781,Submitted,,10.00\nParticipant 7782,-,,10.00\n"
    text, notes = filled(tmp_path, given, [result("Participant", ALL, "7781")])
    assert [row[2] for row in table(text)] == ["Grade", "10.00", ""]
    assert any("Participant 7782" in note for note in notes)


def test_canvas_gets_grades_by_id_and_keeps_what_is_excused(tmp_path):
    text, notes = filled(
        tmp_path,
        exported.CANVAS,
        [result("x", ALL, "7781"), result("Łoś, Jan", 1), result("Zoé Martin", ALL, "85")],
    )
    assert text.startswith("\ufeffStudent,") and text.count("\r\n") == text.count("\n") == 7
    before, after = table(exported.CANVAS), table(text)
    assert [row[5] for row in after[3:]] == ["20.00", f"{20 * FIRST / TOP:.2f}", "EX", ""]
    assert [row[:5] + row[6:] for row in after] == [row[:5] + row[6:] for row in before]
    assert any("excused" in note and "Zoé" in note for note in notes)
    assert not any("Test" in note for note in notes), (
        "Canvas' test student handed in nothing, and nobody misses it"
    )


def test_moodles_gradebook_has_first_and_last_names_and_per_cent_where_no_maximum_is(tmp_path):
    text, notes = filled(tmp_path, exported.GRADES, [result("Łoś Jan", ALL), result("Zoé Martin", 0)])
    assert [row[4:6] for row in table(text)[1:]] == [["-", "-"], ["100.00", "-"], ["0.00", "-"]]
    assert any("percentages" in note for note in notes) and any("Anna Kowalska" in note for note in notes)


def test_a_total_of_several_lessons_is_named_as_one(tmp_path):
    anna = result("x", ALL, "7781")
    alone = filled(tmp_path, exported.WORKSHEETS["en"], [anna])[1]
    assert not any("several lessons" in note for note in alone)
    both = [anna, result("y", ALL, "7782", "workers")]
    (note,) = [
        note for note in filled(tmp_path, exported.WORKSHEETS["en"], both)[1] if "several lessons" in note
    ]
    assert "00_start_here, 01_workers" in note and "--lesson" in note


def test_a_number_in_another_column_is_nobodys(tmp_path):
    """85 is Zoé's ID, and the section of all three."""
    (tmp_path / "export.csv").write_text(exported.CANVAS)
    anna, jan, zoe = roster.read(tmp_path / "export.csv")
    assert [sorted(one.numbers) for one in (anna, jan, zoe)] == [["7781"], ["7782"], ["85"]]
    assert (anna.name, anna.line, zoe.line) == ("Kowalska, Anna", 4, 6)


def test_each_lesson_has_the_column_named_after_it_and_a_named_column_the_total(tmp_path):
    given = exported.CANVAS.replace("Essay (4500)", "Homework: 01 Workers (4500)")
    both = [result("x", ALL, "7781"), result("x", 0, "7781", "workers")]
    after = table(filled(tmp_path, given, both)[0])
    assert after[3][4:6] == ["0.00", "20.00"]
    after = table(filled(tmp_path, given, both, column="homework: 01 workers (4500)")[0])
    workers = sum(one.points for one in course.lesson("workers").exercises().values())
    assert after[3][4:6] == [f"{85 * TOP / (TOP + workers):.2f}", ""]


def test_a_lesson_that_a_student_did_not_hand_in_leaves_the_field_as_it_was(tmp_path):
    given = exported.CANVAS.replace("Essay (4500)", "01_workers (4500)")
    after = table(filled(tmp_path, given, [result("x", ALL, "7781"), result("y", 0, "7782", "workers")])[0])
    assert after[3][4:6] == ["85.00", "20.00"] and after[4][4:6] == ["0.00", ""]


def test_who_was_graded_in_another_lesson_only_is_named_and_not_counted(tmp_path):
    both = [result("x", ALL, "7781"), result("Łoś, Jan", ALL, "7782", lesson="workers")]
    text, notes = filled(tmp_path, exported.CANVAS, both)
    assert table(text)[4] == table(exported.CANVAS)[4]
    assert any("in the gradebook: 1;" in note for note in notes)
    assert [note for note in notes if "Łoś" in note] == [
        "Students in the gradebook with a grade, but in no lesson that has a column there: Łoś, Jan."
    ]


def test_two_records_of_one_person_fill_nothing_in_and_are_named(tmp_path):
    text, notes = filled(tmp_path, exported.CANVAS, [result("x", ALL, "7781"), result("Anna Kowalska", 1)])
    assert table(text)[3][5] == ""
    assert any("not only once: Anna Kowalska, x" in note for note in notes)


def test_what_is_no_gradebook_is_refused_with_what_it_has(tmp_path):
    for text, words in (
        ("Student,ID\nAnna,1\n", "It has: Student, ID"),
        ("Anna\nBen\n", "It has: Anna"),
        ("", "names nobody"),
    ):
        with pytest.raises(LabError, match=words):
            filled(tmp_path, text, [result("Anna", 1)])
    with pytest.raises(LabError, match="no column"):
        filled(tmp_path, exported.CANVAS, [result("Anna", 1)], column="Essay")
    (tmp_path / "latin.csv").write_bytes("Student,00_start_here\nZoé,\n".encode("cp1252"))
    with pytest.raises(LabError, match="UTF-8"):
        gradebook.read(tmp_path / "latin.csv")
