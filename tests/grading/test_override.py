"""What the instructor sets counts, is shown as such everywhere, and a wrong line is named before anything is graded."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest

from graded import Page, result, verdict
from handed_in import hand_in, student
from loaderlab import cli
from loaderlab.exercises.exercise import Verdict
from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.publish.checkout import TRANSLATIONS
from loaderlab.teaching.grading import feedback, override, record, report, run, sheet
from loaderlab.teaching.grading.grade import Grade, Result
from loaderlab.teaching.grading.override import Override
from loaderlab.teaching.grading.submission import Submission
from loaderlab.teaching.grading.table import table

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="A class is graded in WSL there.")

CLASS = [
    Submission("Anna Kowalska", "a.ipynb", "workers", number="1234"),
    Submission("Łukasz", "l.ipynb", "workers"),
    Submission("lukasz", "m.ipynb", "workers"),
    Submission("nobody", "n.ipynb", None, problem="The file is empty."),
]
SETS = [Override("Anna Kowalska", "tensor_loader", 2, "Half of it is right.")]


def read(tmp_path: Path, text: str | bytes) -> list[Override]:
    path = tmp_path / "override.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return override.read(path, CLASS)


def graded() -> list[Result]:
    """Anna, with an answer that was not judged; and Ben."""
    anna = result("Anna Kowalska", verdict(3), verdict(1, "sorted", "unique"))
    forged = Grade("tensor_loader", Verdict(0, 3, "it forged"), "forged", ("a remark",))
    return [Result(anna.submission, (anna.grades[0], forged)), result("Ben", verdict(3), verdict(3))]


# ---------------------------------------------------------------- the file


@pytest.mark.parametrize(
    "text",
    [
        "student,exercise,points,comment\nAnna Kowalska,tensor_loader,2,Half of it is right.\n",
        "\ufeffStudent;Exercise;Points;Comment\r\nanna kowalska;tensor_loader;2;Half of it is right.\r\n",
        "comment\tpoints\tlesson\texercise\tstudent\n\nHalf of it is right.\t2\tworkers\ttensor_loader\t1234\n",
        'student,exercise,points,comment\n"Anna Kowalska",tensor_loader, 2 ,"Half of it\nis right."\n',
    ],
    ids=["plain", "excel", "tabs", "lines"],
)
def test_a_row_is_read_as_spreadsheets_write_it(tmp_path, text):
    assert read(tmp_path, text) == SETS
    assert read(tmp_path, text.encode("utf-16")) == SETS


@pytest.mark.parametrize(("code", "encoding"), [("pl", "cp1250"), ("fr", "cp1252")])
def test_letters_are_read_as_excel_writes_them_where_one_does_not_choose_unicode(tmp_path, code, encoding):
    language.use(code)
    name = {"pl": "Łukasz", "fr": "Zoé"}[code]
    path = tmp_path / "override.csv"
    path.write_bytes(
        f"student;exercise;points;comment\r\n{name};portable;1;ó\r\n".encode(encoding, "replace")
    )
    (found,) = override.read(path, [Submission(name, "x.ipynb", "workers")])
    assert found.student == name


def test_an_exact_name_counts_before_a_similar_one(tmp_path):
    rows = "student,exercise,points\nŁukasz,portable,1\nlukasz,portable,2\n"
    assert [(one.student, one.points) for one in read(tmp_path, rows)] == [("Łukasz", 1), ("lukasz", 2)]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("Dora,portable,1", "Nobody whose notebook could be read is called 'Dora'"),
        ("nobody,portable,1", "Nobody whose notebook could be read is called 'nobody'"),
        ("LUKASZ,portable,1", "may be each of these: Łukasz, lukasz"),
        ("Anna Kowalska,text_batches,1", "no exercise 'text_batches'"),
        ("Anna Kowalska,portable,7", "Expected: a whole number from 0 to 6"),
        ("Anna Kowalska,portable,-1", "Expected: a whole number from 0 to 6"),
        ("Anna Kowalska,portable,1.5", "Expected: a whole number from 0 to 6"),
        ("Anna Kowalska,portable," + "9" * 5000, "Expected: a whole number from 0 to 6"),
        ("Anna Kowalska,portable,", "Expected: a whole number from 0 to 6"),
        ("Anna Kowalska", "no exercise ''"),
    ],
)  # fmt: skip
def test_a_wrong_row_is_named_by_its_line(tmp_path, row, words):
    text = (
        f'student,exercise,points,comment\nŁukasz,portable,1,"two\nlines"\n{row}\nŁukasz,tensor_loader,1,\n'
    )
    with pytest.raises(LabError) as caught:
        read(tmp_path, text)
    said = str(caught.value).split("\n")
    assert (
        len(said) == 2 and "override.csv" in said[0] and said[1].startswith("line 4: ") and words in said[1]
    )


def test_all_wrong_rows_are_named_at_once_and_one_set_twice_too(tmp_path):
    with pytest.raises(LabError) as caught:
        read(
            tmp_path, "student,exercise,points\nDora,portable,1\n1234,portable,1\nAnna Kowalska,portable,2\n"
        )
    assert [line.partition(":")[0] for line in str(caught.value).split("\n")[1:]] == ["line 2", "line 4"]
    assert "are set above, too" in str(caught.value)


@pytest.mark.parametrize("text", ["", "Anna,portable,1\n", "student,exercise\n", b"\x00\xff" * 50])
def test_a_file_without_the_columns_is_named_with_what_is_expected(tmp_path, text):
    with pytest.raises(LabError, match="Expected: `student`, `exercise`, `points`, `comment`"):
        read(tmp_path, text)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(LabError, match="cannot be read"):
        override.read(tmp_path / "none.csv", CLASS)
    with pytest.raises(LabError, match="is no table"):
        read(tmp_path, "student,exercise,points\n" + "x" * 200_000)


# ---------------------------------------------------------------- what it does


def test_points_and_comment_replace_what_the_grader_found_and_nothing_else():
    before = graded()
    anna, ben = override.apply(before, SETS)
    assert ben == before[1] and anna.grades[0] == before[0].grades[0]
    assert (anna.points, anna.maximum, anna.grades[1].status) == (5, 6, "set")
    assert anna.grades[1].remarks == ("The grader gave 0/3.", "Half of it is right.")


def test_report_tables_and_feedback_show_it_as_such(tmp_path):
    results = override.apply(graded(), SETS)
    page = report.page(results, [])
    assert "2/3*" in page and "* set by the instructor" in page and "it forged" not in page
    assert "Look at these first" not in page, "the instructor has looked"
    text = table(results, 80)
    assert "2/3*" in text and "* set by the instructor" in text and "*" not in table(graded(), 80)
    hers, his = feedback.pages(results).values()
    assert "Set by the instructor: 2/3 points." in hers and "Half of it is right." in hers
    assert "Set by the instructor" not in his and "Half" not in his
    sheet.write(tmp_path / "g.csv", results)
    record.write(tmp_path / "s.csv", results)
    rows = list(csv.DictReader((tmp_path / "g.csv").read_text("utf-8-sig").splitlines()))
    assert (rows[1]["points"], rows[1]["status"], rows[2]["points"]) == ("2", "set", "5")
    said = "Set by the instructor: 2/3 points. The grader gave 0/3. Half of it is right."
    assert rows[1]["remarks"] == said
    students = list(csv.DictReader((tmp_path / "s.csv").read_text("utf-8-sig").splitlines()))
    assert (students[0]["total (/6)"], students[0]["remarks"]) == ("5", f"tensor_loader: {said}")


def test_a_comment_is_no_markup_and_no_formula(tmp_path):
    results = override.apply(graded(), [Override("Ben", "tensor_loader", 0, "<img src=x>=1+2")])
    for page in (report.page(results, []), *feedback.pages(results).values()):
        assert "img" not in Page(page).tags
    results = override.apply(graded(), [Override("Ben", "tensor_loader", 0, "=1+2")])
    assert not [row for row in record.rows(results) for field in row if str(field).startswith("=")]


@pytest.mark.parametrize("code", TRANSLATIONS)
def test_it_is_said_in_the_language_of_the_command(code):
    language.use(code)
    results = override.apply(graded(), SETS)
    assert "instructor" not in "".join(
        [report.page(results, []), table(results, 80), *feedback.pages(results).values()]
    )


def test_the_command_names_wrong_lines_before_anything_is_graded(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(run, "grade", lambda *_given, **_options: pytest.fail("graded"))
    (tmp_path / "in").mkdir()
    hand_in(tmp_path / "in", "01_workers_anna", student("workers", {}))
    (tmp_path / "o.csv").write_text("student,exercise,points\nanna,portable,99\n")
    words = ["--language", "en", "grade", str(tmp_path / "in"), "--override", str(tmp_path / "o.csv")]
    assert cli.main([*words, "--csv", str(tmp_path / "g.csv")]) == 1
    assert "line 2: '99' is no number of points for portable" in capsys.readouterr().err
    assert cli.main([*words, "--csv", str(tmp_path / "o.csv")]) == 1
    assert "would be replaced" in capsys.readouterr().err and "99" in (tmp_path / "o.csv").read_text()
