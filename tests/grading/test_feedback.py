"""Each student's page has that student's grades, nobody else, and lies where Moodle looks for it."""

from __future__ import annotations

import os
import re
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from graded import HOSTILE, Page, result, verdict
from handed_in import hand_in, solutions, student
from loaderlab import cli
from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.teaching.grading import feedback, run, submission
from loaderlab.teaching.grading.grade import Grade, Result
from loaderlab.teaching.grading.submission import Submission

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="A class is graded in WSL there.")

ANNA = "class.zip/Anna Kowalska_1234_assignsubmission_file_/01_workers.ipynb"
BEN = "class.zip/Ben Nowak_77_assignsubmission_file/lab.ipynb"  # as Moodle 4.1 and newer name folders


def anna(**fields: object) -> Result:
    given = {"file": ANNA, "number": "1234", "participant": "1234"} | fields
    return result("Anna Kowalska", verdict(3), verdict(1, "sorted", "unique", text="hers"), **given)


def ben(**fields: object) -> Result:
    given = {"file": BEN, "number": "77"} | fields
    return result("Ben Nowak", verdict(2, "outlier", text="his"), verdict(0), **given)


def moodle_takes(name: str, participants: set[int]) -> tuple[int, str] | None:
    """Who gets a file of the zip, and its path there, as Moodle's importer of feedback files decides it, old and new."""
    parts = f"/{name}".split("/")
    while parts:
        info = parts.pop(0).split("_", 4)
        if len(info) == 5 and info[1].isdecimal() and int(info[1]) in participants:
            return (
                (int(info[1]), "/".join([info[4], *parts]))
                if info[2:4] == ["assignsubmission", "file"]
                else None
            )
    return None


def test_moodle_finds_whose_each_page_is():
    found = feedback.pages([anna(), ben()])
    assert list(found) == [
        "Anna Kowalska_1234_assignsubmission_file_/feedback.html",
        "Ben Nowak_77_assignsubmission_file_/feedback.html",
    ]
    assert [moodle_takes(name, {1234, 77}) for name in found] == [
        (1234, "/feedback.html"),
        (77, "/feedback.html"),
    ]


@pytest.mark.parametrize("name", ["Ann_Marie Doe", "_5_assignsubmission_file_", "a/b\\c", "O'Neil", "Żółć"])
def test_moodle_finds_it_whatever_the_name(name):
    (path,) = feedback.pages([result(name, verdict(3), file="x.ipynb", number="77")])
    assert moodle_takes(path, {5, 77}) == (77, "/feedback.html")


def test_a_page_shows_findings_points_and_remarks_of_one_student_and_nobody_else():
    one = anna(remarks=("told", "Another notebook: Ben Nowak/x.ipynb"), told=("told",))
    hers, his = feedback.pages([one, ben()]).values()
    text = Page(hers).text
    for words in (
        "Anna Kowalska",
        "01_workers · 4/6",
        "sorted",
        "expected hers",
        "got hers",
        "told",
        "passed 2",
    ):
        assert words in text
    assert "Exercise 1 – Choose the number of workers" in text
    for other in ("Ben", "his", "outlier", "class.zip", "handed in more"):
        assert not re.search(rf"\b{re.escape(other)}\b", text)
    assert "Anna" not in his and "hers" not in his


def test_nothing_is_shown_of_the_answers_and_of_who_answered_alike():
    source = "def choose_num_workers(x):\n    secret = 1\n    other = 2\n    third = 3\n    return secret"
    both = [one(answers={"choose_num_workers": source}) for one in (anna, ben)]
    for page in feedback.pages(both).values():
        assert "secret" not in page and "Equal" not in page


def test_two_assignments_give_two_pages_since_moodle_has_a_number_for_each():
    other = "second.zip/Anna Kowalska_4321_assignsubmission_file_/03_warps.ipynb"
    warps = Result(
        Submission("Anna Kowalska", other, "warps", number="1234", participant="4321"),
        (Grade("text_batches", verdict(3), "graded"),),
    )
    found = feedback.pages([anna(), warps])
    first, second = (found[f"Anna Kowalska_{n}_assignsubmission_file_/feedback.html"] for n in (1234, 4321))
    assert "01_workers" in first and "03_warps" not in first
    assert "03_warps" in second and "01_workers" not in second


def test_of_several_notebooks_of_a_lesson_the_student_learns_which_counts():
    first = result("Ben", verdict(1), verdict(1), file="Ben/first.ipynb", changed=1.0)
    second = result("Ben", verdict(0), verdict(1), file="Ben/second.ipynb", changed=2.0)
    for keep, other in (("best", "second.ipynb"), ("last", "first.ipynb")):
        (page,) = feedback.pages([first, second], keep).values()
        words = Page(page).text
        assert words.count("Another of your notebooks of this lesson counts.") == 1
        assert re.search(rf"{other}\s*Another of your", words)


def test_without_a_number_a_folder_has_the_name_and_no_two_pages_become_one():
    found = feedback.pages([result(name, verdict(3)) for name in ("anna", "Anna", "a/b", "a:b", "a_b", "..")])
    assert len({name.casefold() for name in found}) == 6
    assert all(re.fullmatch(r"[^/\\:]+/feedback\.html", name) and not name.startswith(".") for name in found)


def test_who_handed_in_nothing_that_can_be_graded_is_told_what_to_hand_in():
    export = Result(Submission("Carla", "x/lab.html", None, problem="Ask for it.", participant="9"), ())
    nothing = Result(Submission("Dora", "", None, problem="Nothing was handed in."), ())
    found = feedback.pages([export, nothing])
    assert list(found) == ["Carla_9_assignsubmission_file_/feedback.html"]
    (page,) = found.values()
    assert "lab.html" in page and "as Jupyter saves it" in page and "Ask for it" not in page
    beside = replace(
        export,
        submission=replace(
            export.submission, student="Anna Kowalska", file=ANNA + ".html", participant="1234"
        ),
    )
    assert "as Jupyter saves it" not in "".join(feedback.pages([anna(), beside]).values())


def test_who_handed_in_another_lesson_only_is_told_so():
    of = Submission("Emil", "emil.ipynb", "warps", problem="Of another lesson.", participant="9")
    beside = replace(of, student="Anna Kowalska")
    *_annas, page = feedback.pages([anna(), Result(beside, ()), Result(of, ())]).values()
    assert "Emil" in page and "it belongs to another lesson" in page and "emil.ipynb" in page
    assert len(_annas) == 1 and "another lesson" not in _annas[0]
    (page,) = feedback.pages(11 * [Result(of, ())]).values()
    assert "more than 10 notebooks" in page and "another lesson" not in page


def test_a_student_is_not_told_what_only_a_person_can_judge():
    one = anna()
    forged = Grade("portable", verdict(0, text="it forged"), "forged", ("look at it",))
    (page,) = feedback.pages([replace(one, grades=(*one.grades, forged))]).values()
    assert "forged" not in page and "look at it" not in page
    assert "Your instructor will look at this answer. So far: 0/3 points." in page


def test_a_student_is_told_of_a_package_that_lacked():
    one = anna()
    lacking = Grade("portable", verdict(0), "package", ("`x` is not installed",), ("x",))
    (page,) = feedback.pages([replace(one, grades=(*one.grades, lacking))]).values()
    assert "<code>x</code> is not installed" in page and "Your instructor will look at this answer." in page


@pytest.mark.parametrize("text", HOSTILE, ids=repr)
def test_nothing_that_was_handed_in_is_markup_or_leaves_its_folder(text):
    ((name, page),) = feedback.pages(
        [result(text, verdict(1, text, text=text), file=f"{text}.ipynb")]
    ).items()
    assert re.fullmatch(r"[^/\\\x00-\x1f\u202e]{1,200}/feedback\.html", name) and not name.startswith(".")
    assert not {"script", "img"} & set(Page(page).tags)
    assert not re.search(r"[\x00-\x08\x0e-\x1f\u202a-\u202e\ud800-\udfff]", page)


def test_the_zip_file_replaces_only_one_of_its_own(tmp_path):
    path = tmp_path / "feedback.zip"
    feedback.expect_writable(path)
    feedback.write(path, [anna()])
    feedback.expect_writable(path)
    feedback.write(path, [anna(), ben()])
    with zipfile.ZipFile(path) as archive:
        assert len(archive.namelist()) == 2 and archive.testzip() is None
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        archive.writestr("x", "y")
    for other in ("class.zip", "folder", "feedback.html"):
        with pytest.raises(LabError, match="Expected: a name|Choose a new name"):
            feedback.expect_writable(tmp_path / other)
    os.mkfifo(tmp_path / "pipe.zip")
    with pytest.raises(LabError, match="Choose a new name"):
        feedback.expect_writable(tmp_path / "pipe.zip")


@pytest.mark.parametrize("code", language.LANGUAGES)
def test_a_page_is_in_the_language_of_the_command(code):
    language.use(code)
    (page,) = feedback.pages([anna()]).values()
    assert f'<html lang="{code}">' in page and ("Feedback for" in page) == (code == "en")


def test_the_command_writes_pages_beside_the_grades(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        run, "grade",
        lambda found, **_options: ([Result(s, tuple(Grade(n, verdict(3), "graded") for n in s.answers)) for s in found], []),
    )  # fmt: skip
    folder = tmp_path / "in" / "Anna Kowalska_1234_assignsubmission_file_"
    folder.mkdir(parents=True)
    hand_in(folder, "01_workers", student("workers", solutions("workers")))
    words = ["grade", str(tmp_path / "in"), "--csv", str(tmp_path / "g.csv")]
    assert cli.main(["--language", "en", *words, "--feedback", str(tmp_path / "f.zip")]) == 0
    with zipfile.ZipFile(tmp_path / "f.zip") as archive:
        assert archive.namelist() == ["Anna Kowalska_1234_assignsubmission_file_/feedback.html"]
    assert f"Written: {tmp_path / 'f.zip'}" in capsys.readouterr().out
    assert cli.main(["--language", "en", *words, "--feedback", str(tmp_path / "f")]) == 1
    assert "one zip file" in capsys.readouterr().err


def test_remarks_on_cells_are_told_and_those_on_the_class_are_not(tmp_path: Path):
    notebook = student("workers", solutions("workers"))
    notebook["cells"].insert(
        0, {"cell_type": "code", "metadata": {}, "source": solutions("workers")["tensor_loader"]}
    )
    for name in ("01_workers (1)", "01_workers"):
        (tmp_path / "anna").mkdir(exist_ok=True)
        hand_in(tmp_path / "anna", name, notebook)
    for one in submission.find([tmp_path]):
        assert len(one.remarks) == 2 and "handed in more" in one.remarks[0]
        assert one.told == one.remarks[1:] and "several cells" in one.told[0]
