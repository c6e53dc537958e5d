"""Table, CSV and page say the same of a class; nothing that was handed in changes another row, or is run by what shows it."""

from __future__ import annotations

import argparse
import csv
import io
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from wcwidth import wcswidth

from graded import HOSTILE, Page, result, verdict
from loaderlab import cli, course
from loaderlab.exercises.criterion import Finding
from loaderlab.exercises.exercise import Verdict
from loaderlab.i18n import language
from loaderlab.teaching.grading import command, record, report, run, sheet, statistics, submission
from loaderlab.teaching.grading.grade import Grade, Result
from loaderlab.teaching.grading.submission import Submission
from loaderlab.teaching.grading.table import table

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="A class is graded in WSL there.")


NOBODY = Result(Submission("nobody", "nobody.ipynb", None, problem="The file is empty."), ())
ABSENT = Result(Submission("absent", "", None, problem="Nothing was handed in."), ())
OTHER = Result(Submission("other", "other.ipynb", "warps", problem="Of another lesson."), ())
CLASS = [
    result("carla", verdict(3), verdict(1, "sorted", "unique")),
    result("anna", verdict(0, "plateau", "outlier", "sorted"), verdict(1, "unique", "sorted")),
    result(
        "ben",
        verdict(2, "outlier"),
        Verdict(0, 3, "Your answer raised an exception: E."),
        remarks=("a remark",),
    ),
    NOBODY,
    OTHER,
]


def read(path: Path) -> list[dict[str, str]]:
    text = path.read_bytes().decode("utf-8-sig")
    mark = ";" if text.startswith("student;") else ","
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=mark, strict=True))


# ---------------------------------------------------------------- what a class did


def test_a_tally_counts_full_points_and_names_the_most_common_mistake():
    first, second = statistics.tallies(CLASS)
    assert (first.exercise, first.full, first.answers, first.points) == (
        "choose_num_workers",
        1,
        3,
        {0: 1, 2: 1, 3: 1},
    )
    assert (first.mistake, first.mistaken) == ("outlier", 2)
    assert (second.full, second.mistake, second.mistaken) == (0, "sorted", 2)
    assert statistics.tallies([result("a", verdict(3))])[0].mistake == ""


def test_of_several_notebooks_of_a_student_one_is_counted_and_the_others_are_marked():
    again = result("carla", verdict(0), verdict(0), file="carla/later.ipynb", changed=9.0)
    for keep, points, average in (
        ("best", "(0/6)", "mean 4.0, median 4.0"),
        ("last", "(4/6)", "mean 0.0, median 0.0"),
    ):
        for shown in (
            table([CLASS[0], again], 200, keep),
            Page(report.page([CLASS[0], again], [], keep)).text,
        ):
            assert "Notebooks that count: 1." in shown and average in shown and "of 1" in shown
            assert shown.count(points) == 1 and "another notebook of this student counts" in shown
    for shown in (table(CLASS, 200), report.page(CLASS, [])):
        assert "another notebook" not in shown and "Notebooks that count: 3." in shown


def test_a_mistake_counts_once_for_each_answer():
    twice = result("a", verdict(0, "same", "same", "same"))
    assert statistics.tallies([twice])[0].mistaken == 1


# ---------------------------------------------------------------- CSV


def test_the_sheet_has_a_row_for_each_exercise_and_a_total_for_each_submission(tmp_path):
    sheet.write(tmp_path / "g.csv", CLASS)
    content = (tmp_path / "g.csv").read_bytes()
    header = b"\xef\xbb\xbfstudent,lesson,exercise,points,maximum,status,failed,remarks,file\r\n"
    assert content.startswith(header) and content.count(b"\n") == content.count(b"\r\n") == 1 + 3 * 3 + 2
    rows = [
        (r["student"], r["exercise"], r["points"], r["maximum"], r["status"])
        for r in read(tmp_path / "g.csv")
    ]
    assert rows[:3] == [
        ("carla", "choose_num_workers", "3", "3", "graded"),
        ("carla", "tensor_loader", "1", "3", "graded"),
        ("carla", "total", "4", "6", "graded"),
    ]
    assert rows[-2:] == [
        ("nobody", "total", "", "", "unreadable"),
        ("other", "total", "", "", "other_lesson"),
    ]


def test_the_sheet_tells_who_handed_in_nothing_from_what_cannot_be_read(tmp_path):
    sheet.write(tmp_path / "g.csv", [NOBODY, ABSENT])
    assert [row["status"] for row in read(tmp_path / "g.csv")] == ["unreadable", "absent"]


def test_the_sheet_says_what_failed_and_why(tmp_path):
    sheet.write(tmp_path / "g.csv", CLASS)
    rows = {(r["student"], r["exercise"]): r for r in read(tmp_path / "g.csv")}
    assert rows["carla", "tensor_loader"]["failed"] == "sorted; unique"
    assert rows["ben", "tensor_loader"]["remarks"] == "Your answer raised an exception: E."
    assert rows["ben", "total"]["remarks"] == "a remark"
    assert rows["nobody", "total"]["remarks"] == "The file is empty."


def test_the_table_of_students_has_one_row_for_each_and_the_best_of_several_notebooks(tmp_path):
    anna = replace(CLASS[1].submission, student="anna", number="77", file="again.ipynb")
    everyone = [*CLASS[:1], result("anna", verdict(0), verdict(1), number="77"), NOBODY]
    everyone.append(Result(anna, result("anna", verdict(3), verdict(1)).grades))
    record.write(tmp_path / "s.csv", everyone)
    rows = read(tmp_path / "s.csv")
    assert list(rows[0]) == [
        "student", "number", "01_workers choose_num_workers (/3)", "01_workers tensor_loader (/3)",
        "01_workers (/6)", "total (/6)", "percent", "remarks",
    ]  # fmt: skip
    assert [list(row.values())[:-2] for row in rows] == [
        ["anna", "77", "3", "1", "4", "4"],
        ["carla", "", "3", "1", "4", "4"],
        ["nobody", "", "", "", "", "0"],
    ]
    assert [row["remarks"] for row in rows] == [
        "01_workers: the best of several notebooks counts.",
        "",
        "The file is empty.",
    ]


def test_names_with_accents_stand_beside_those_without(tmp_path):
    record.write(tmp_path / "s.csv", [result(name, verdict(3)) for name in ("Zoé", "Łoś", "éva", "Martin")])
    assert [row["student"] for row in read(tmp_path / "s.csv")] == ["éva", "Łoś", "Martin", "Zoé"]


def test_the_page_begins_with_what_a_person_must_look_at():
    forged = Grade("tensor_loader", verdict(0, text="it forged"), "forged")
    anna = Result(CLASS[1].submission, (CLASS[1].grades[0], forged))
    handed_in = [CLASS[0], anna, CLASS[2], NOBODY, ABSENT, OTHER]
    handed_in.append(replace(OTHER, submission=replace(OTHER.submission, student="carla")))
    first = report.page(handed_in, []).partition("<table>")[0]
    assert "Look at these first" in first and "tensor_loader: 0/3 it forged" in first and "a remark" in first
    assert "nobody.ipynb · The file is empty" in first and "other.ipynb · Of another lesson." in first
    assert "carla" not in first and "Nothing was handed in" not in first
    assert "Look at these first" not in report.page([CLASS[0]], [])


def test_the_page_names_first_which_packages_lack_and_who_is_concerned():
    lacking = Grade("tensor_loader", verdict(0), "package", ("`<b>` is not",), ("<b>",))
    both = [Result(one.submission, (one.grades[0], lacking)) for one in CLASS[:2]]
    first = report.page([CLASS[2], *both], []).partition("<li>")[2].partition("</li>")[0]
    assert "<code>&lt;b&gt;</code> is not installed where this was graded" in first
    assert "carla" in first and "anna" in first and first.count("tensor_loader") == 2 and "ben" not in first


def test_the_sheets_are_separated_as_excel_expects_in_each_language(tmp_path):
    for code, mark in (("en", ","), ("fr", ";"), ("pl", ";")):
        language.use(code)
        for number, write in enumerate((sheet.write, record.write)):
            write(tmp_path / f"{number}.csv", CLASS)
            content = (tmp_path / f"{number}.csv").read_bytes()
            assert content.startswith(b"\xef\xbb\xbfstudent" + mark.encode())


@pytest.mark.parametrize("text", HOSTILE, ids=repr)
def test_no_text_becomes_a_formula_or_another_row(tmp_path, text):
    bad = Verdict(0, 3, text, (Finding(False, 3, text),))
    hostile = Result(
        Submission(text, text, "workers", remarks=(text,)),
        (
            Grade("choose_num_workers", bad, "graded", (text,)),
            Grade("tensor_loader", Verdict(0, 3, text), "x"),
        ),
    )
    sheet.write(
        tmp_path / "g.csv", [hostile, replace(NOBODY, submission=Submission(text, text, None, problem=text))]
    )
    rows = read(tmp_path / "g.csv")
    assert len(rows) == 4 and all(None not in row and len(row) == 9 for row in rows)
    for value in (value for row in rows for value in row.values()):
        for cell in value.split(";"):  # where the list separator is a semicolon
            assert not re.match(r"[\s\"'“”]*[=+\-@＝＋－＠]", cell) or cell.startswith("'")
        assert not re.search(r"[\x00-\x1f\x7f\u202a-\u202e]", value) and len(value) <= 1100


# ---------------------------------------------------------------- table


@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_line_of_the_table_is_wider_than_the_terminal(width):
    everyone = [*CLASS, *(result(text, verdict(1, text), verdict(3)) for text in HOSTILE)]
    everyone += [replace(NOBODY, submission=Submission("x", "学" * 200, None, problem="y" * 500))]
    lines = table(everyone, width).split("\n")
    assert all(0 <= wcswidth(line) <= width for line in lines)
    assert len({wcswidth(line) for line in lines if line.endswith(("/6", "Total"))}) == 1, (
        "columns are aligned"
    )


def test_the_table_shows_points_then_exercises_then_what_was_not_graded():
    text = table(CLASS, 100)
    assert re.search(r"^anna +0/3 +1/3 +1/6$", text, re.MULTILINE)
    assert text.index("anna") < text.index("ben") < text.index("carla")
    assert "1 choose_num_workers: full points 1 of 3\n  most common mistake (2): outlier" in text
    assert "Not graded: 2" in text and "nobody.ipynb\n    The file is empty." in text


def test_lessons_stand_in_the_order_of_the_course():
    found = [
        replace(CLASS[0], submission=replace(CLASS[0].submission, lesson=name))
        for name in ("warps", "start_here")
    ]
    text = table([*found, *CLASS], 80)
    assert text.index("start_here") < text.index("workers\n") < text.index("warps")


# ---------------------------------------------------------------- page


def test_the_page_stands_alone_and_runs_nothing():
    text = report.page(CLASS, ["a note"])
    page = Page(text)
    assert ("http-equiv", "Content-Security-Policy") in page.attributes
    assert any(name == "content" and "default-src 'none'" in value for name, value in page.attributes)
    assert not {"script", "img", "link", "iframe", "form", "object"} & set(page.tags)
    assert all(value.startswith("#") for name, value in page.attributes if name in ("href", "src"))
    anchors = {value for name, value in page.attributes if name == "id"}
    assert anchors == {value[1:] for name, value in page.attributes if name == "href"} and len(anchors) == 3


def test_the_page_has_findings_as_the_card_shows_them_and_the_notes():
    text = Page(report.page(CLASS, ["a note"])).text
    for words in ("outlier", "expected x", "got x", "a remark", "The file is empty.", "a note", "raised an"):
        assert words in text
    assert "passed 0" in text and "passed 2" not in text, "an answer with full points needs no findings"


def test_nothing_that_was_handed_in_is_markup():
    plain = Page(report.page([result("x", verdict(1, "x"), verdict(3))], []))
    for text in HOSTILE:
        bad = result("x", verdict(1, text, text=text), verdict(3, text=text), file=text, remarks=(text,))
        one = Page(report.page([replace(bad, submission=replace(bad.submission, student=text))], []))
        extra = {"ul", "li", "code"}  # the list of remarks, and `code`
        assert set(one.tags) - set(plain.tags) <= extra, text
        assert {name for name, _v in one.attributes} == {name for name, _v in plain.attributes}, text
        assert not re.search(r"[\x00-\x08\x0e-\x1f\u202a-\u202e\ud800-\udfff]", one.text), text


def test_long_texts_are_cut():
    texts = Page(
        report.page([result("n" * 5000, verdict(1, "c" * 5000, text="t" * 5000))], ["o" * 5000])
    ).text
    assert all(f"{letter * 100}" in texts and letter * 601 not in texts for letter in "ncto")
    assert texts.count("…") >= 5


@pytest.mark.parametrize("code", language.LANGUAGES)
def test_the_page_says_its_language(code):
    language.use(code)
    assert f'<html lang="{code}">' in report.page(CLASS, [])


# ---------------------------------------------------------------- the command


@pytest.fixture
def graded(monkeypatch):
    """A grader that answers at once: full points for every answer. Returns what it was called with."""
    calls: list[dict] = []

    def grade(submissions, **options):
        calls.append(options)
        for number, one in enumerate(submissions, 1):
            options["progress"](number, len(submissions), one.student)
        found = [
            Result(s, () if s.problem else tuple(Grade(n, Verdict(1, 1, "ok"), "graded") for n in s.answers))
            for s in submissions
        ]
        return found, ["a note of the run"]

    monkeypatch.setattr(run, "grade", grade)
    return calls


def test_the_command_writes_all_three(root, tmp_path, graded, capsys):
    folder = str(root / "notebooks_pl")
    status = cli.main(
        ["--language", "en", "grade", folder, "--csv", f"{tmp_path}/g.csv", "--html", f"{tmp_path}/r.html"]
    )
    out = capsys.readouterr()
    rows = read(tmp_path / "g.csv")
    assert status == 0 and len(rows) == sum(len(x.probes()) + 1 for x in course.lessons())
    assert "a note of the run" in out.out and "a note of the run" in (tmp_path / "r.html").read_text("utf-8")
    assert "choose_num_workers" in out.out and out.err == "", "no bar where stderr is no terminal"
    assert (
        graded[0]["journal"] == tmp_path / ".g.csv.journal"
        and not graded[0]["resume"]
        and graded[0]["jobs"] >= 1
    )


def test_the_command_passes_on_lesson_jobs_and_resume(root, tmp_path, graded):
    words = [
        "grade",
        str(root / "notebooks"),
        "--csv",
        f"{tmp_path}/g.csv",
        "--lesson",
        "warps",
        "--jobs",
        "3",
    ]
    assert cli.main(["--language", "en", *words, "--resume"]) == 0
    assert graded[0]["jobs"] == 3 and graded[0]["resume"]
    assert {r["status"] for r in read(tmp_path / "g.csv") if r["lesson"] != "warps"} == {"other_lesson"}


def test_an_interrupted_run_says_how_to_go_on(root, tmp_path, monkeypatch, capsys):
    def interrupted(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "grade", interrupted)
    words = ["grade", str(root / "notebooks"), "--csv", f"{tmp_path}/g.csv"]
    assert cli.main(["--language", "en", *words]) == 1
    assert "--resume" in capsys.readouterr().err and not (tmp_path / "g.csv").exists()


@pytest.mark.parametrize(
    ("csv_file", "words"),
    [
        ("anna.ipynb", "would be replaced"),
        ("class.zip", "would be replaced"),
        ("no/g.csv", "Nothing can be written"),
    ],
)
def test_where_the_grades_cannot_go_is_said_before_anything_is_graded(
    tmp_path, graded, capsys, csv_file, words
):
    (tmp_path / "anna.ipynb").write_text("{}")
    status = cli.main(["--language", "en", "grade", str(tmp_path), "--csv", str(tmp_path / csv_file)])
    assert status == 1 and words in capsys.readouterr().err and not graded
    assert (tmp_path / "anna.ipynb").read_text() == "{}"


def test_jobs_is_a_number_from_one_up(capsys):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    for wrong in ("0", "-1", "x"):
        with pytest.raises(SystemExit):
            parser.parse_args(["a", "--csv", "g.csv", f"--jobs={wrong}"])
        assert "whole number from 1 up" in capsys.readouterr().err


def test_a_submission_is_shown_in_every_language_as_it_was_found(root, tmp_path):
    for code in language.LANGUAGES:
        language.use(code)
        (found,) = submission.find([root / "notebooks_fr" / "01_workers.ipynb"])
        sheet.write(tmp_path / "g.csv", [Result(found, ())])
        assert [(r["lesson"], r["exercise"], r["status"]) for r in read(tmp_path / "g.csv")] == [
            ("workers", "total", "graded")
        ], "codes are English in every language"
