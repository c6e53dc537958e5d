"""What a class handed in is found, whatever it is called and whichever editor saved it; nothing of it is lost or trusted."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
import unicodedata
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loaderlab import course
from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.teaching.grading import roster, rows, submission, uploads
from loaderlab.teaching.grading.student import Place, students
from loaderlab.teaching.grading.submission import Submission, find
from places import STUDENT_FOLDERS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="A class is graded in WSL there.")

Notebook = dict[str, Any]
EXERCISES = list(course.lesson("workers").exercises())


@pytest.fixture
def workers(root) -> Notebook:
    """Lesson 1 as a learner gets it."""
    return json.loads((root / "notebooks/01_workers.ipynb").read_text("utf-8"))


def one(path: Path, notebook: Notebook | bytes | str) -> Submission:
    """Write it to ``path``; the one submission that is found there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(notebook, dict):
        notebook = json.dumps(notebook)
    path.write_bytes(notebook.encode() if isinstance(notebook, str) else notebook)
    (found,) = find([path])
    return found


def answer_cell(notebook: Notebook, exercise: str) -> dict[str, Any]:
    return next(cell for cell in notebook["cells"] if cell.get("id") == f"answer-{exercise}")


def code(source: str, **metadata: Any) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "metadata": metadata, "outputs": []}


# ---------------------------------------------------------------- the cells of the answers


def test_every_notebook_of_the_course_has_all_its_answers(notebook):
    (found,) = find([notebook])
    lesson = next(lesson for lesson in course.lessons() if lesson.file == notebook.stem)
    assert found.lesson == lesson.name and not found.problem
    assert list(found.answers) == list(lesson.probes()) == list(lesson.exercises())
    assert found.remarks == () or "solution notebook" in found.remarks[0]
    assert len(found.remarks) == ("solutions" in notebook.parts)


def colab(notebook: Notebook) -> None:
    """As Colab saves it by default: format 4.0, where a cell's id stands in its metadata."""
    notebook["nbformat_minor"] = 0
    notebook["metadata"] = {"colab": {"provenance": []}, "kernelspec": notebook["metadata"]["kernelspec"]}
    for cell in notebook["cells"]:
        cell["metadata"] = {
            "id": cell.pop("id"),
            "colab": {"base_uri": "https://localhost:8080/"},
            "outputId": "1f",
        }


def colab_with_new_ids(notebook: Notebook) -> None:
    """As above, with ids that Colab made, so that nothing is left of ours."""
    colab(notebook)
    for number, cell in enumerate(notebook["cells"]):
        cell["metadata"]["id"] = f"x{number:011d}"


def vs_code(notebook: Notebook) -> None:
    """VS Code keeps ids and metadata, adds its own, and writes more about the language."""
    notebook["metadata"]["language_info"] = {"name": "python", "version": "3.12.1"}
    for cell in notebook["cells"]:
        cell["metadata"]["vscode"] = {"languageId": "python"}


def old_vs_code(notebook: Notebook) -> None:
    """Older versions of VS Code drop the metadata of what they run."""
    notebook.update(nbformat_minor=2, metadata={"orig_nbformat": 4})
    for cell in notebook["cells"]:
        cell["metadata"] = {}
        del cell["id"]


def only_nbgrader(notebook: Notebook) -> None:
    """New ids from an editor that keeps the metadata."""
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = f"new-{number}"


def one_string(notebook: Notebook) -> None:
    """The format allows a source in one string."""
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])


@pytest.mark.parametrize("folder", STUDENT_FOLDERS.values())
@pytest.mark.parametrize("edit", [colab, colab_with_new_ids, vs_code, old_vs_code, only_nbgrader, one_string])
def test_what_an_editor_does_to_a_notebook_loses_no_answer(
    root, tmp_path, folder, edit: Callable[[Notebook], None]
):
    notebook = json.loads((root / folder / "01_workers.ipynb").read_text("utf-8"))
    sources = {name: "".join(answer_cell(notebook, name)["source"]) for name in EXERCISES}
    edit(notebook)
    found = one(tmp_path / "anna" / "lab.ipynb", notebook)
    assert (found.lesson, found.answers, found.remarks, found.problem) == ("workers", sources, (), "")


def test_a_byte_order_mark_does_not_matter(workers, tmp_path):
    found = one(tmp_path / "anna.ipynb", b"\xef\xbb\xbf" + json.dumps(workers).encode())
    assert list(found.answers) == EXERCISES


def test_an_answer_whose_cell_is_gone_is_missing_with_a_remark(workers, tmp_path):
    workers["cells"].remove(answer_cell(workers, "tensor_loader"))
    found = one(tmp_path / "anna.ipynb", workers)
    assert "tensor_loader" not in found.answers and len(found.answers) == 3
    assert found.remarks == (
        "tensor_loader: no cell defines it, and its own cell is gone, so it is not graded.",
    )


@pytest.mark.parametrize("edit", [colab, vs_code, only_nbgrader])
def test_a_renamed_function_is_missing_with_a_remark(workers, tmp_path, edit):
    answer_cell(workers, "tensor_loader")["source"] = "def tensor_loder(a, b): return 1"
    edit(workers)
    found = one(tmp_path / "anna.ipynb", workers)
    assert "tensor_loader" not in found.answers
    assert found.remarks == ("tensor_loader: its cell does not define it any more, so it is not graded.",)


def test_an_answer_in_another_cell_is_found_there(workers, tmp_path):
    cell = answer_cell(workers, "tensor_loader")
    cell["source"] = "# see below"
    workers["cells"].insert(workers["cells"].index(cell) + 1, code("def tensor_loader(*a):\n    return 7\n"))
    found = one(tmp_path / "anna.ipynb", workers)
    assert "return 7" in found.answers["tensor_loader"]
    assert found.remarks == ("tensor_loader: found in another cell than its own.",)


def test_of_two_definitions_the_last_before_the_check_is_graded(workers, tmp_path):
    cell = answer_cell(workers, "tensor_loader")
    place = workers["cells"].index(cell)
    workers["cells"].insert(place + 1, code("def tensor_loader(*a):\n    return 2\n"))
    workers["cells"].append(code("def tensor_loader(*a):\n    return 3\n"))
    found = one(tmp_path / "anna.ipynb", workers)
    assert "return 2" in found.answers["tensor_loader"]
    assert "several cells (2)" in found.remarks[0]


def test_the_parts_of_a_split_cell_are_graded_together(workers, tmp_path):
    cell = answer_cell(workers, "tensor_loader")
    place = workers["cells"].index(cell)
    # JupyterLab gives both the metadata.
    workers["cells"].insert(place, code("FACTOR = 2", **cell["metadata"]))
    found = one(tmp_path / "anna.ipynb", workers)
    assert found.answers["tensor_loader"].startswith("FACTOR = 2\n\ndef tensor_loader")
    assert "split" in found.remarks[0]


def test_a_file_is_known_by_the_name_that_the_check_asks_for(workers, tmp_path):
    cell = answer_cell(workers, "portable")
    text = "".join(cell["source"])
    cell["source"] = text.replace("portable.py", "other.py")
    assert "portable" not in one(tmp_path / "anna.ipynb", workers).answers
    cell["source"] = text.replace("{lab.scratch}/portable.py", "{lab.scratch}\\portable.py")
    assert "portable" in one(tmp_path / "anna.ipynb", workers).answers


# ---------------------------------------------------------------- what is no notebook

BROKEN = {
    "empty": (b"", "empty"),
    "blank": (b" \n", "empty"),
    "cut": (b'{"cells": [', "not JSON"),
    "binary": (b"\x80\x81\x00", "not JSON"),
    "deep": (b"[" * 200_000, "not JSON"),
    "list": (b"[]", "not a notebook"),
    "number": (b"4", "not a notebook"),
    "no cells": (b'{"nbformat": 4}', "not a notebook"),
    "cells of another type": (b'{"nbformat": 4, "cells": {"a": 1}}', "not a notebook"),
    "format 3": (b'{"nbformat": 3, "worksheets": []}', "old format 3"),
    "of no lesson": (b'{"nbformat": 4, "cells": []}', "to which lesson"),
    "large": (b'{"nbformat": 4, "cells": ["' + b"x" * uploads.FILE_LIMIT + b'"]}', "larger than 20 MiB"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_what_cannot_be_graded_is_listed_with_what_to_do(tmp_path, kind):
    content, words = BROKEN[kind]
    found = one(tmp_path / "anna.ipynb", content)
    assert (found.student, found.lesson, found.answers) == ("anna", None, {})
    assert words in found.problem
    assert any(cure in found.problem for cure in ("Ask for it again", "save it again", "Give its file"))


def test_no_field_is_trusted_to_have_its_type(workers, tmp_path):
    strange: list[Any] = [None, 7, "x", [], {}, {"cell_type": "code"}, {"cell_type": ["code"]}]
    strange += [code(value) for value in (None, 5, [1, None, "x"], {"a": 1}, "\ud800")]  # type: ignore[arg-type]
    strange += [{**code("x"), "metadata": value, "id": value} for value in (None, 5, [], "x")]
    strange += [code("x", id=5, nbgrader=value) for value in (None, 5, {"solution": True, "grade_id": []})]
    workers["cells"] = strange + workers["cells"]
    for about in (None, 5, [], {"lesson": ["workers"]}, {"lesson": "../workers", "kind": {}}):
        workers["metadata"] = {"loaderlab": about}
        assert list(one(tmp_path / "anna.ipynb", workers).answers) == EXERCISES
    workers["metadata"] = 5
    assert list(one(tmp_path / "anna.ipynb", workers).answers) == EXERCISES


def test_half_of_a_pair_in_a_source_does_not_reach_the_answer(workers, tmp_path):
    answer_cell(workers, "tensor_loader")["source"] = "def tensor_loader(*a):\n    return '\ud800\x00'"
    one(tmp_path / "anna.ipynb", workers).answers["tensor_loader"].encode("utf-8")


def test_what_is_no_notebook_is_named(tmp_path, workers):
    (tmp_path / "answers.txt").write_bytes(b"mine")
    os.mkfifo(tmp_path / "pipe.ipynb")  # opening it would wait for ever
    found = {Path(s.file).name: s.problem for s in find([tmp_path])}
    assert "no notebook" in found["answers.txt"] and "no ordinary file" in found["pipe.ipynb"]


def test_a_path_that_does_not_exist_is_an_error(tmp_path):
    for name in ("nowhere", "n" * 300 + ".ipynb", "a\0b"):
        with pytest.raises(LabError, match="There is no .*Check the path"):
            find([tmp_path / name])
    with pytest.raises(LabError, match="There is no notebook in"):
        find([tmp_path])


def test_hidden_files_and_checkpoints_are_left_out_and_nothing_is_read_twice(workers, tmp_path):
    for name in (
        "a/x.ipynb",
        ".ipynb_checkpoints/x.ipynb",
        "a/.hidden.ipynb",
        ".git/x.ipynb",
        "__MACOSX/x.ipynb",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(workers))
    assert len(find([tmp_path, tmp_path / "a", tmp_path / "a/x.ipynb"])) == 1


# ---------------------------------------------------------------- lessons


def test_the_lesson_is_told_by_metadata_then_by_its_beginning_then_by_the_file_name(workers, tmp_path):
    path = tmp_path / "03_warps.ipynb"
    assert (found := one(path, workers)).lesson == "workers"
    assert found.remarks == ("The file has the name of another lesson: 03_warps.",)
    workers["metadata"] = {}
    assert one(path, workers).lesson == "workers"
    workers["cells"] = [c for c in workers["cells"] if c["id"] != "setup"]
    assert one(path, workers).lesson == "warps"
    assert one(tmp_path / "anna 01-Workers (1).ipynb", workers).lesson == "workers"


def test_a_notebook_of_a_lesson_not_asked_for_is_listed(root):
    found = find([root / "notebooks/01_workers.ipynb", root / "notebooks/03_warps.ipynb"], ["warps"])
    assert [(s.lesson, bool(s.answers)) for s in found] == [("workers", False), ("warps", True)]
    assert found[0].problem == "This is a notebook of the lesson workers, but you asked only for warps."
    with pytest.raises(LabError, match="There is no lesson 'warp'"):
        find([root / "notebooks"], ["warp"])


# ---------------------------------------------------------------- students

NAMES = {
    "01_workers_anna.ipynb": "anna",
    "anna_01_workers.ipynb": "anna",
    "anna.ipynb": "anna",
    "anna-01-workers-.ipynb": "anna",
    "anna/01_workers.ipynb": "anna",
    "anna/01_workers/01_workers.ipynb": "anna",
    "anna/Copy of 01_workers.ipynb": "anna",
    "anna/Copie de 01_workers.ipynb": "anna",
    "anna/Kopia 01_workers.ipynb": "anna",
    "anna/Kopia pliku 01_workers.ipynb": "anna",
    "anna/01_workers (1).ipynb": "anna",
    "anna/01_workers-Copy1.ipynb": "anna",
    "anna/01_workers - Copy (2).ipynb": "anna",
    "Copy of 01_workers_anna (3).ipynb": "anna",
    "Anna Kowalska_12345_assignsubmission_file_/01_workers.ipynb": "Anna Kowalska",
    "Anna Kowalska_12345_assignsubmission_file_/my lab.ipynb": "Anna Kowalska",
    "Anna Kowalska_12345_assignsubmission_file_01_workers.ipynb": "Anna Kowalska",
    "kowalskaanna_12345_67890_01_workers-1.ipynb": "kowalskaanna",
    "kowalskaanna_LATE_12345_67890_01_workers.ipynb": "kowalskaanna",
    "group_3_01_workers.ipynb": "group_3",
    "Zoé O'Brien-Łoś 01_workers.ipynb": "Zoé O'Brien-Łoś",
    'a "b" =c.ipynb': 'a "b" =c',
    "=1+2.ipynb": "=1+2",
    "\u202egrade\u202c \x1b[31m\x07a\tb\nc.ipynb": "grade [31m a b c",
    "\udcff.ipynb": "\ufffd",
    "🦉.ipynb": "🦉",
}


@pytest.mark.parametrize("name", [n for n in NAMES if sys.platform == "linux" or "\udcff" not in n])
def test_the_student_is_told_from_names_and_shown_safely(workers, tmp_path, name):
    assert one(tmp_path / "class" / name, workers).student == NAMES[name]


# In a folder of a class, beside others; names of files as browsers, systems and people make them.
FOLDERS = {
    "Ola/Kopia notatnika 01_workers.ipynb": "Ola",
    "Ewa/loader-lab-main/notebooks_pl/01_workers.ipynb": "Ewa",
    "anna/01_workers copy.ipynb": "anna",
    "anna/01_workers 2.ipynb": "anna",
    "anna/01_workers_3.ipynb": "anna",
    "01_workers 17.ipynb": "17",
    "123456/01_workers_2.ipynb": "123456",
    "group 1/01_workers_4711.ipynb": "4711",
    "anna/01_workers_final.ipynb": "anna",
    "anna/01_workers_v2.ipynb": "anna",
    "anna/Downloads/01_workers.ipynb": "anna",
    "anna/Copy of Copy of 01_workers.ipynb": "anna",
    "01_workers_anna.ipynb": "anna",
    "group 1/01_workers_anna.ipynb": "anna",
    "anna/my solution.ipynb": "anna",
    "anna/try.ipynb": "anna",
    "Jan Kowalski/Téléchargements/Copie de 01_workers (2).ipynb": "Jan Kowalski",
    "anna/01_workers copy 2.ipynb": "anna",
    "01_workers_anna (3).ipynb": "anna",
    "01_workers_anna_final_v3.ipynb": "anna",
    "anna_01_workers_FINAL (1).ipynb": "anna",
    "s123456_01_workers.ipynb": "s123456",
    "123456/01_workers.ipynb": "123456",
    "week 1/anna/01_workers.ipynb": "anna",
    "anna/week 1/01_workers.ipynb": "anna",
    "anna/Colab Notebooks/01_workers.ipynb": "anna",
    "Ola/Kopia — 01_workers.ipynb": "Ola",
    "Ola/01_workers — kopia.ipynb": "Ola",
    "Ola/01_workers - Kopia (2).ipynb": "Ola",
    "Zoé/01_workers - Copie.ipynb": "Zoé",
    "Anna Nowak.zip/01_workers.ipynb": "Anna Nowak",
    "Anna Nowak.zip/notebooks/01_workers.ipynb": "Anna Nowak",
    "anna/01_workers-Copy1.ipynb": "anna",
    "anna/01_workers-Copy1-Copy2.ipynb": "anna",
    "anna/Untitled1.ipynb": "anna",
    "01_workers_final_Jan Nowak.ipynb": "Jan Nowak",
    "Jan_Nowak_zadanie_01_workers.ipynb": "Jan_Nowak",
    "anna/solutions/en/01_workers.ipynb": "anna",
    "1_workers anna.ipynb": "anna",
    "01-workers-Marie Curie.ipynb": "Marie Curie",
    "Downloads/01_workers (1).ipynb": "01_workers (1)",
    "anna/rozwiązanie 01_workers.ipynb": "anna",
    "anna/01_workers ostateczna wersja.ipynb": "anna",
    "anna/01_workers_corrigé.ipynb": "anna",
    "Anna Nowak (1)/01_workers.ipynb": "Anna Nowak",
    "anna.ipynb": "anna",
    "Nowak, Anna/01_workers.ipynb": "Nowak, Anna",
    "anna/2026-11-22/01_workers.ipynb": "anna",
    "Homework 1_akowal_attempt_2026-11-16-09-12-33_01_workers.ipynb": "akowal",
    "Homework 1_akowal_attempt_2026_11_16_09_12_33.ipynb": "akowal",
    "86913-224106 - Anna Kowalska-Nowak - Nov 16, 2026 912 AM/01_workers.ipynb": "Anna Kowalska-Nowak",
    "86913-224106 - Anna Kowalska- 16 November, 2026 912 AM - 01_workers.ipynb": "Anna Kowalska",
    "kowalskaanna_late_7781_67890_01_workers.ipynb": "kowalskaanna",
    "anna/01_workers-checkpoint.ipynb": "anna",
    "Workers Anna.ipynb": "Anna",
    "01_workers_anna_2026-11-22.ipynb": "anna",
}


@pytest.mark.parametrize("name", FOLDERS)
def test_in_the_folder_of_a_class_the_person_is_found_whatever_copies_are_called(name):
    files = [
        Place(("class", *name.split("/")), 1, "workers"),
        Place(("class", "zoe_01_workers.ipynb"), 1, "workers"),
    ]
    assert students(files, course.lessons())[0].name == FOLDERS[name]


def test_where_no_name_could_be_read_a_remark_says_what_helps(workers, tmp_path):
    for name in ("01_workers (1).ipynb", "zoe_01_workers.ipynb"):
        (tmp_path / name).write_text(json.dumps(workers))
    nobody, zoe = find([tmp_path])
    assert "`--student-from`" in nobody.remarks[0] and not zoe.remarks
    assert not find([tmp_path / "01_workers (1).ipynb"])[0].remarks


def test_two_people_never_become_one_and_one_person_never_two():
    paths = {
        "a/Anna/01_workers.ipynb": "workers",  # two people of one name, in two groups
        "b/Anna/01_workers.ipynb": "workers",
        "a/Ben/00_start_here.ipynb": "start_here",  # one person, two lessons
        "b/Ben/01_workers.ipynb": "workers",
        "c/Ben/Colab Notebooks/Kopia notatnika 02_pin_memory.ipynb": "pin_memory",
        "Kopia notatnika 01_workers.ipynb": "workers",  # nobody's: each one's own
        "01_workers (1).ipynb": "workers",
    }
    files = [Place(("class", *path.split("/")), 1, lesson) for path, lesson in paths.items()]
    anna, other, ben, same, again, one, two = students(files, course.lessons())
    assert len({anna, other, ben, one, two}) == 5 and ben == same == again


MOODLE, CANVAS = "Zoe Kot_124_assignsubmission_file_", "kotzoe_124_1456_"
# What is handed in, and whose it is; Anna Nowak, 123, handed in hers, and Zoe, 124, all the others.
HANDED_ON = {
    "Moodle's name for a file": (
        f"{MOODLE}/Anna Nowak_123_assignsubmission_file_01_workers.ipynb",
        "Zoe Kot",
    ),
    "Moodle's name for a folder": (
        f"{MOODLE}/0/Anna Nowak_123_assignsubmission_file_/01_workers.ipynb",
        "Zoe Kot",
    ),
    "in a zip file": (
        f"{MOODLE}/rendu.zip/Anna Nowak_123_assignsubmission_file_/01_workers.ipynb",
        "Zoe Kot",
    ),
    "one file a student": (
        f"{MOODLE}rendu.zip/Anna Nowak_123_assignsubmission_file_/01_workers.ipynb",
        "Zoe Kot",
    ),
    "Canvas's name": (f"{CANVAS}rendu.zip/nowakanna_123_1456_01_workers.ipynb", "kotzoe"),
    "late, by a name of one's own": (f"{CANVAS}rendu.zip/nowakanna_LATE_123_1456_01_workers.ipynb", "kotzoe"),
    "a folder with a plain name": (
        "Zoe Kot/Anna Nowak_123_assignsubmission_file_/01_workers.ipynb",
        "Zoe Kot",
    ),
}


@pytest.mark.parametrize("kind", HANDED_ON)
def test_what_stands_further_in_is_a_remark_and_never_an_owner(workers, tmp_path, kind):
    path, owner = HANDED_ON[kind]
    hers = (
        "nowakanna_123_1456_01_workers.ipynb"
        if "kotzoe" in path
        else "Anna Nowak_123_assignsubmission_file_/01_workers.ipynb"
    )
    (tmp_path / "class.zip").write_bytes(
        zipped({f"class/{name}": json.dumps(workers) for name in (hers, path, "Ewa/01_workers.ipynb")})
    )
    found = {one.student: one for one in find([tmp_path / "class.zip"])}
    anna = found.pop(next(name for name in found if "nowak" in name.lower()))
    assert anna.file.endswith(hers) and anna.number == "123" and not anna.remarks
    assert set(found) == {owner, "Ewa"} and found[owner].number == found[owner].participant != "123"
    assert "nowak" in found[owner].remarks[0].lower() and len(found[owner].remarks) == 1


def test_folders_of_groups_may_hold_the_downloads_of_each(workers, tmp_path):
    names = (
        "group A/Anna_1_assignsubmission_file_",
        "group A/Ben_2_assignsubmission_file_",
        "group B/Ewa_3_assignsubmission_file_",
    )
    (tmp_path / "class.zip").write_bytes(
        zipped({f"{name}/01_workers.ipynb": json.dumps(workers) for name in names})
    )
    assert {one.student: one.number for one in find([tmp_path / "class.zip"])} == {
        "Anna": "1",
        "Ben": "2",
        "Ewa": "3",
    }


def test_a_group_beside_plain_folders_stays_as_many_as_it_has_numbers(workers, tmp_path):
    names = (
        "tutorial 1/Anna_1_assignsubmission_file_",
        "tutorial 1/Ben_2_assignsubmission_file_",
        "Ewa",
        "Zoe",
    )
    (tmp_path / "class.zip").write_bytes(
        zipped({f"{name}/01_workers.ipynb": json.dumps(workers) for name in names})
    )
    found = find([tmp_path / "class.zip"])
    assert len({one.student for one in found}) == 4 and {"Ewa", "Zoe"} < {one.student for one in found}


def test_a_pattern_decides_and_its_own_name_is_no_other_one(workers, tmp_path):
    folder = tmp_path / "Anna Nowak_123_assignsubmission_file_"
    folder.mkdir()
    (folder / "01_workers.ipynb").write_text(json.dumps(workers))
    (found,) = find([tmp_path], student_from="{student}_*/*")
    assert found.student == "Anna Nowak" and not found.remarks


def test_two_spellings_of_one_name_in_unicode_are_one_student(workers, tmp_path):
    names = [unicodedata.normalize(form, "Zoë") for form in ("NFC", "NFD")]
    files = {f"{names[0]}/01_workers.ipynb": json.dumps(workers), f"{names[1]}/00_start_here.ipynb": "{}"}
    (tmp_path / "class.zip").write_bytes(zipped(files))
    assert {one.student for one in find([tmp_path / "class.zip"])} == {names[0]}


@pytest.mark.parametrize("given", [("a/anna", "b/anna"), ("anna/notebooks", "jan/notebooks")])
def test_folders_that_are_called_alike_are_not_one_person(workers, tmp_path, given):
    folders = [tmp_path / name for name in given]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "01_workers.ipynb").write_text(json.dumps(workers))
    first, second = find(folders)
    assert first.student != second.student and not first.remarks and not second.remarks
    assert all("anna" in one.student or "jan" in one.student for one in (first, second))


CLASSES = {
    "names": "Kowalska Anna\nJan Łoś\nZoe\n",
    "names with commas": "Kowalska, Anna\nŁoś, Jan\nX, Zoe\n",
    "Moodle": 'Identifier,"Full name","Email address",Status\nParticipant 77,Anna Kowalska,a@x.pl,-\n'
    "Participant 78,Jan Łoś,jl@x.pl,-\nParticipant 79,Zoe,z@x.pl,-\n",
    "Canvas": "Student;ID;SIS Login ID\n    Points Possible;;\nKowalska, Anna;77;ak\nŁoś, Jan;78;jl\nZoe;79;z\n",
}


@pytest.mark.parametrize("kind", CLASSES)
def test_a_class_list_gives_everybody_one_name_and_says_who_is_missing(workers, tmp_path, kind):
    (tmp_path / "class.csv").write_text(CLASSES[kind])
    members = roster.read(tmp_path / "class.csv")
    assert len(members) == 3
    folder = tmp_path / "in"
    names = (
        "kowalskaanna_77_67890_01_workers.ipynb",
        "anna kowalska/01_workers.ipynb",
        "kowalská anna/01_workers.ipynb",
        "Jan Los/01_workers.ipynb",
        "bob/01_workers.ipynb",
    )
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(workers))
    found = find([folder], members=members)
    by_name = {one.student: one for one in found}
    assert {one.student for one in found if one.answers} >= {members[1].name, "bob"}
    assert [one.number for one in found if one.student == members[0].name] == 3 * ["77"]
    assert by_name[members[2].name].problem == "Nothing was handed in."
    assert "not on the class list" in by_name["bob"].remarks[0]
    assert not any(
        "class list" in remark for name, one in by_name.items() if name != "bob" for remark in one.remarks
    )


def test_a_class_list_that_names_nobody_is_refused(tmp_path):
    (tmp_path / "class.csv").write_text("")
    for name in ("class.csv", "nowhere.csv"):
        with pytest.raises(LabError, match="a name on each line|Check the path"):
            roster.read(tmp_path / name)


def test_a_class_list_beyond_measure_is_refused_and_not_cut(tmp_path, monkeypatch):
    (tmp_path / "class.csv").write_text("Anna Kowalska\nJan Nowak\n")
    monkeypatch.setattr(rows, "LARGEST", 20)
    with pytest.raises(LabError, match="larger than"):
        roster.read(tmp_path / "class.csv")


def test_what_canvas_calls_late_is_called_late(workers, tmp_path):
    assert "late" in one(tmp_path / "kowalskaanna_LATE_12345_67890_01_workers.ipynb", workers).remarks[0]
    assert not one(tmp_path / "kowalskaanna_12345_67890_01_workers.ipynb", workers).remarks


def test_a_pattern_says_where_the_name_stands(workers, tmp_path):
    for name in ("x/77_Anna/a.ipynb", "x/78_Anna/a.ipynb", "y.ipynb"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(json.dumps(workers))
    found = find([tmp_path], student_from="{number}_{student}/*")
    assert {one.student for one in found} == {"Anna (77)", "Anna (78)", "y"}
    with pytest.raises(LabError, match="does not say where"):
        find([tmp_path], student_from="*/*")
    with pytest.raises(LabError, match="fits none of the files"):
        find([tmp_path], student_from="{student}/nothing/*")
    files = [Place(("c", "anna", "01_workers_ben.ipynb"), 1, "workers")]
    assert [students(files, course.lessons(), source)[0].name for source in ("file", "folder")] == [
        "ben",
        "anna",
    ]


def test_a_link_is_named_and_takes_nothing_from_anybody(workers, tmp_path):
    one(tmp_path / "zoe" / "01_workers.ipynb", workers)
    (tmp_path / "aaa").mkdir()
    (tmp_path / "aaa" / "01_workers.ipynb").symlink_to("../zoe/01_workers.ipynb")
    (tmp_path / "bbb").symlink_to("zoe", target_is_directory=True)
    found = {Path(s.file).parent.name: s for s in find([tmp_path])}
    assert "This is a link" in found["aaa"].problem and not found["aaa"].answers
    assert found["zoe"].student == "zoe" and found["zoe"].answers
    assert "This is a link" in found[tmp_path.name].problem


def test_the_graders_own_files_are_no_submissions(workers, tmp_path):
    one(tmp_path / "anna.ipynb", workers)
    (tmp_path / "grades.csv").write_text("student")
    assert len(find([tmp_path], leave=[tmp_path / "grades.csv"])) == 1


def test_exports_and_archives_are_called_what_they_are(tmp_path):
    exports = (
        "a.html",
        "b.py",
        "c.pdf",
        "e.HTM",
        "f.slides.html",
        "g.ipynb.html",
        "h.md",
        "i.asciidoc",
        "j.odt",
    )
    for name in (*exports, "d.rar"):
        (tmp_path / name).write_text("x")
    found = {Path(s.file).name: s.problem for s in find([tmp_path])}
    assert all("export" in found[name] and ".ipynb" in found[name] for name in exports)
    assert "archive" in found["d.rar"]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\n<!DOCTYPE html>\n<title>01_workers</title>", "HTML"),
        (b"\xef\xbb\xbf<html>", "HTML"),
        (b"%PDF-1.7", "PDF"),
    ],
)
def test_an_export_with_the_name_of_a_notebook_is_called_one(tmp_path, content, kind):
    found = one(tmp_path / "01_workers_anna.ipynb", content)
    assert f"a saved web page ({kind})" in found.problem and "as Jupyter saves it" in found.problem


def test_more_notebooks_of_one_lesson_than_anybody_needs_are_not_graded(workers, tmp_path):
    text = json.dumps(workers)
    (tmp_path / "anna").mkdir()
    for number in range(submission.MOST + 1):
        (tmp_path / "anna" / f"01_workers ({number}).ipynb").write_text(text)
    assert {bool(one.answers) for one in find([tmp_path])} == {False}
    assert "more than 10" in find([tmp_path])[0].problem


def test_a_notebook_with_code_beyond_measure_is_not_graded(workers, tmp_path):
    workers["cells"].append(code("x = 1\n" * 200_000))
    assert "million characters" in one(tmp_path / "anna.ipynb", workers).problem


def test_names_are_never_empty_and_never_long(workers, tmp_path):
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        for name in ("x" * 300, "y" * 300 + "1", "y" * 300 + "2", "\u202e", "\u200b\u200b", "(1)", "___"):
            archive.writestr(f"{name}.ipynb", json.dumps(workers))
    found = [s.student for s in find([tmp_path / "class.zip"])]
    assert all(1 <= len(name) <= 80 for name in found)
    assert (
        sum(name.endswith("…") for name in found) == 2 and sum(name.endswith("… (2)") for name in found) == 1
    )


def test_different_students_stay_different(workers, tmp_path):
    names = [f"{name}.ipynb" for name in ("anna", "an\u200bna", "Anna", "\u202eanna")]
    names += [f"Jo Doe_{number}_assignsubmission_file_/01_workers.ipynb" for number in (1, 2)]
    (tmp_path / "class.zip").write_bytes(zipped({name: json.dumps(workers) for name in names}))
    found = find([tmp_path])
    assert {s.student for s in found} == {"anna", "anna (2)", "anna (3)", "Anna", "Jo Doe (1)", "Jo Doe (2)"}
    assert not any(s.remarks for s in found)


def test_two_notebooks_of_one_student_are_both_graded_and_each_names_the_other(workers, tmp_path):
    for name in ("anna/01_workers.ipynb", "anna/01_workers (1).ipynb"):
        one(tmp_path / name, workers)
    first, second = find([tmp_path])
    assert first.student == second.student == "anna" and first.answers and second.answers
    assert second.file in first.remarks[0] and first.file in second.remarks[0]


# ---------------------------------------------------------------- zip files


def test_zip_files_are_read_and_zip_files_in_them_once(workers, tmp_path):
    text = json.dumps(workers)
    deep = zipped({"zoe.ipynb": text})
    inner = zipped({"ben/01_workers.ipynb": text, "deep.zip": deep})
    members = {"anna/01_workers.ipynb": text, "hand/in.zip": inner, "notes.txt": "", "__MACOSX/a.ipynb": ""}
    (tmp_path / "class.zip").write_bytes(zipped(members))
    found = find([tmp_path / "class.zip"])
    assert [s.student for s in found if not s.problem] == ["anna", "ben"]
    assert found[0].file == f"{tmp_path}/class.zip/anna/01_workers.ipynb"
    assert {Path(s.file).name: "no notebook" in s.problem for s in found if s.problem} == {
        "deep.zip": False,
        "notes.txt": True,
    }
    assert sorted(os.listdir(tmp_path)) == ["class.zip"]


def zipped(members: dict[str, str | bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def test_a_hostile_path_in_a_zip_file_is_a_name_and_nothing_more(workers, tmp_path):
    folder = tmp_path / "in" / "here"
    folder.mkdir(parents=True)
    names = ("../../evil.ipynb", "/tmp/evil2.ipynb", "..\\..\\evil3.ipynb", "a\nb=.ipynb")
    (folder / "class.zip").write_bytes(zipped({name: json.dumps(workers) for name in names}))
    found = find([folder / "class.zip"])
    assert {s.student for s in found} == {"evil", "evil2", "evil3", "a b="}
    assert all(s.file.startswith(f"{folder}/class.zip/") and "\n" not in s.file for s in found)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["class.zip"]


def test_a_zip_bomb_is_named_and_the_others_are_graded(workers, tmp_path, monkeypatch):
    monkeypatch.setattr(uploads, "ZIP_LIMIT", 8 * uploads.MIB)
    monkeypatch.setattr(uploads, "FILE_LIMIT", uploads.MIB)
    monkeypatch.setattr(uploads, "MEMBER_LIMIT", 50)
    blanks = b" " * (uploads.MIB - 1)
    (tmp_path / "a.zip").write_bytes(
        zipped({"big.ipynb": b" " * 9 * uploads.MIB, "ok.ipynb": json.dumps(workers)})
    )
    (tmp_path / "b.zip").write_bytes(zipped({f"{n}.ipynb": blanks for n in range(40)}))
    (tmp_path / "c.zip").write_bytes(zipped({f"{n}.ipynb": "" for n in range(51)}))
    (tmp_path / "d.zip").write_bytes(b"PK\3\4 no zip file")
    (tmp_path / "e.ipynb").write_text(json.dumps(workers))
    found = find([tmp_path])
    assert [s.student for s in found if s.answers] == ["a", "e"]
    problems = {s.file.removeprefix(f"{tmp_path}/"): s.problem for s in found}
    assert "larger than 1 MiB" in problems["a.zip/big.ipynb"]
    assert "Only its first 8 MiB were read" in problems["b.zip"] and "more than 50 files" in problems["c.zip"]
    assert "cannot be read" in problems["d.zip"]
    assert len(found) < 20


def test_a_zip_file_without_a_mark_for_its_utf8_names_shows_them_right(workers, tmp_path):
    content = zipped({"Zofia_Łoś.ipynb": json.dumps(workers)})
    unmarked = bytearray(content)
    for magic, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):  # macOS leaves the flag for UTF-8 unset
        place = unmarked.index(magic) + offset
        unmarked[place : place + 2] = (
            int.from_bytes(unmarked[place : place + 2], "little") & ~0x800
        ).to_bytes(2, "little")
    (tmp_path / "class.zip").write_bytes(bytes(unmarked))
    assert [s.student for s in find([tmp_path / "class.zip"])] == ["Zofia_Łoś"]


def test_a_zip_file_of_the_polish_explorer_shows_names_right(workers, tmp_path):
    content = bytearray(zipped({"Zofia_xxx.ipynb": json.dumps(workers)}))
    polish = "Łoś".encode("cp852")
    (tmp_path / "class.zip").write_bytes(bytes(content).replace(b"xxx", polish))
    language.use("pl")
    assert [s.student for s in find([tmp_path / "class.zip"])] == ["Zofia_Łoś"]


def test_an_encrypted_file_is_called_encrypted(workers, tmp_path):
    content = bytearray(zipped({"anna.ipynb": json.dumps(workers)}))
    content[content.index(b"PK\1\2") + 8] |= 1
    (tmp_path / "class.zip").write_bytes(bytes(content))
    assert "encrypted" in find([tmp_path / "class.zip"])[0].problem


def test_names_made_to_be_slow_are_read_in_the_time_of_their_length(tmp_path):
    """A quadratic expression took 2000 times as long for a name 60 times as long."""

    def seconds(length: int) -> float:
        name = "a" + " " * length + "x_01_workers_" + "1 (" * (length // 3) + ".ipynb"
        (tmp_path / "class.zip").write_bytes(zipped({f"{n}{name}": "" for n in range(100)}))
        begun = time.process_time()
        find([tmp_path / "class.zip"])
        return time.process_time() - begun

    assert seconds(30_000) < 60 * max(0.02, seconds(500))


# A million characters, on which a quadratic expression takes hours, and all that the grader has take seconds: those that
# stand in its modules, and those that its functions make.
SLOW = r"""
import importlib, pkgutil, re
import loaderlab.exercises, loaderlab.teaching
from loaderlab import course
from loaderlab.teaching.grading import answers, judging, packages, student

begins = ("", "%%writefile x", "%%x", "#\n", "lab.begin(", "NameError: name '", "from a", "wait_and_compute", "1-1 - ")
fillings = (" ", "\n", "#\n", "a", "%%a\n", '"', "; ", "def ", "_1", " - ", "-")
texts = [begin + 1_000_000 // len(filling) * filling + "b" for begin in begins for filling in fillings]
for package in (loaderlab.exercises, loaderlab.teaching):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        for name, each in vars(importlib.import_module(module.name)).items():
            for pattern in each if isinstance(each, tuple) else (each,):
                if isinstance(pattern, re.Pattern) and isinstance(pattern.pattern, str):
                    print(module.name, name, flush=True)
                    for text in texts:
                        pattern.search(text)
lesson = course.lesson("find_the_bottleneck")
unknown = {"slow": False, "evidence": "NameError: name 'wait_and_compute' is not defined"}
for text in texts:
    print("taken", repr(text[:20]), flush=True)
    answers.take(answers.code_cells({"cells": [{"cell_type": "code", "source": text}]}), lesson)
    answers.files([text])
    judging._hindered(unknown, [text])
    packages.lacking(str(unknown), [text])
    student.in_name(lesson, numbered=False).search(text)
"""


@pytest.mark.long
def test_no_text_keeps_the_grader_busy():
    done = subprocess.run([sys.executable, "-c", SLOW], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and "taken" in done.stdout, done.stderr


def test_problems_are_in_the_language_of_the_instructor(tmp_path, monkeypatch):
    monkeypatch.setattr(language, "_messages", {"The file is empty. Ask for it again.": "Plik jest pusty."})
    assert one(tmp_path / "anna.ipynb", b"").problem == "Plik jest pusty."


def test_finding_submissions_does_not_load_torch(root):
    question = (
        "import sys; from pathlib import Path; from loaderlab.teaching.grading.submission import find; "
    )
    question += "find([Path('notebooks/01_workers.ipynb')]); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", question], cwd=root, check=False).returncode == 0
