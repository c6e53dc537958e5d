"""A learner begins with a copy of the lessons that gives nothing away, and that stays as they leave it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import nbformat
import pytest

from loaderlab import course
from loaderlab.cli import main
from loaderlab.i18n.language import LANGUAGES
from loaderlab.notebook import progress
from loaderlab.publish import bootstrap_cell, checkout, notebook, press, source
from places import ROOT, STUDENT_FOLDERS


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_copy_has_every_lesson_of_a_language_and_no_output(tmp_path: Path, language: str) -> None:
    assert main(["begin", str(tmp_path / "mine"), "--language", language]) == 0
    committed = sorted((ROOT / STUDENT_FOLDERS[language]).glob("*.ipynb"))
    found = {path.name for path in (tmp_path / "mine").iterdir()}
    others = set(LANGUAGES) - {language}
    assert found == {*(path.name for path in committed), progress.FILE, "solutions", *others}
    for path in committed:
        theirs, ours = (nbformat.read(p, as_version=4) for p in (path, tmp_path / "mine" / path.name))
        kept = [cell.source for cell in theirs.cells if cell.id != bootstrap_cell.ID]
        assert [cell.source for cell in ours.cells[1:]] == kept[1:]
        code = [cell for cell in ours.cells if cell.cell_type == "code"]
        assert not any(cell.outputs or cell.execution_count or "jupyter" in cell.metadata for cell in code)


def test_a_copy_begins_with_two_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = checkout.here()
    editions = press.all_editions(here, source.read(here.lessons[0]), [])
    path = tmp_path / "course" / "notebooks_fr" / f"{here.lessons[0].file}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(notebook.canonical(notebook.assemble(editions["fr"], checkout.EXERCISES)), "utf-8")
    monkeypatch.setattr(checkout, "ROOT", tmp_path / "course")
    assert main(["begin", str(tmp_path / "mine"), "--language", "fr"]) == 0
    copied = nbformat.read(tmp_path / "mine" / path.name, as_version=4)
    first = next(cell for cell in copied.cells if cell.cell_type == "code")
    lines = ["import loaderlab as lab", 'lab.begin("start_here", language="fr")']
    assert [line for line in first.source.split("\n") if line] == lines


@pytest.mark.parametrize("place", ["mine", "my/fr", "deep/er/still"])
def test_languages_and_solutions_lead_to_one_another_and_never_to_a_file_of_the_course(
    tmp_path: Path, place: str
) -> None:
    folder = tmp_path / place
    assert main(["begin", str(folder), "--language", "fr"]) == 0
    home = folder.parent if place == "my/fr" else folder
    here = {language: folder if language == "fr" else home / language for language in LANGUAGES}
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        for language, own in here.items():
            links = linked(own / path.name)
            others = {each / path.name for each in here.values()} - {own / path.name}
            assert links == others | {home / "solutions" / language / path.name}
            assert linked(home / "solutions" / language / path.name) == {
                own / path.name, *(home / "solutions" / each / path.name for each in here if each != language),
            }  # fmt: skip
    assert all(
        tmp_path in target.parents and target.exists()
        for path in tmp_path.rglob("*.ipynb")
        for target in linked(path)
    )


def linked(notebook: Path) -> set[Path]:
    """The notebooks that its header leads to, but for the next lessons in its own folder."""
    header = nbformat.read(notebook, as_version=4).cells[0].source
    return {
        (notebook.parent / link).resolve()
        for link in re.findall(r"\]\((\S+?\.ipynb)\)", header)
        if "/" in link
    }


def test_a_solution_is_a_copy_with_its_results_and_without_the_notes_for_teachers(tmp_path: Path) -> None:
    assert main(["begin", str(tmp_path / "my" / "en"), "--language", "en"]) == 0
    solution = nbformat.read(tmp_path / "my" / "solutions" / "en" / "00_start_here.ipynb", as_version=4)
    assert any(cell.get("outputs") for cell in solution.cells)
    assert not any("For the instructor" in cell.source for cell in solution.cells)


def test_points_are_there_in_every_language_and_those_of_an_older_copy_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    english, french = tmp_path / "my" / "en", tmp_path / "my" / "fr"
    english.mkdir(parents=True)
    (english / progress.FILE).write_text(progress.EMPTY)
    progress.remember(english, "workers", {"points": {"epochs": 3}})
    assert main(["begin", str(english), "--language", "en"]) == 0
    assert (
        progress.recall(french, "workers") == progress.recall(english, "workers") == {"points": {"epochs": 3}}
    )
    progress.remember(french, "start_here", {"won": ["share"]})
    assert main(["begin", str(french), "--language", "fr"]) == 0
    assert progress.recall(english, "start_here") == {"won": ["share"]}
    assert [path.name for path in tmp_path.rglob(progress.FILE)] == [progress.FILE]
    assert progress.recall(tmp_path / "my" / "solutions" / "en", "workers") == {}


def links(path: Path) -> set[str]:
    cells = nbformat.read(path, as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return set(re.findall(r"\]\((\.\.?/[^)#]*)", text))


def test_solutions_can_be_left_out_and_nothing_leads_to_them(tmp_path: Path) -> None:
    assert main(["begin", str(tmp_path / "fr"), "--language", "fr", "--without-solutions"]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {*LANGUAGES, progress.FILE}
    for path in tmp_path.rglob("*.ipynb"):
        found = links(path)
        assert found and not any("solutions" in link for link in found)
        assert all((path.parent / link).exists() for link in found)


def test_a_zip_file_to_hand_out_has_one_language_and_leads_nowhere_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["begin", str(tmp_path / "course.zip"), "--language", "pl", "--without-solutions"]
    assert main(command) == 0
    shutil.unpack_archive(tmp_path / "course.zip", tmp_path)
    notebooks = sorted((tmp_path / "course" / "pl").iterdir())
    assert [path.name for path in notebooks] == sorted(
        path.name for path in (ROOT / "notebooks_pl").glob("*.ipynb")
    )
    for path in notebooks:
        assert links(path) == set()
        code = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
        assert code[0].id == bootstrap_cell.ID and not any(cell.outputs for cell in code)
    assert main(["--language", "en", *command]) == 1
    assert "course.zip" in capsys.readouterr().err


def test_what_is_there_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "01_workers.ipynb"
    mine.write_text("my work")
    (tmp_path / progress.FILE).write_text("my guesses")
    count = len(course.lessons())
    for said in (
        f"new lessons: {count - 1}, lessons kept as they are: 1.",
        f"all lessons are there already, and were kept as they are: {count}.",
    ):
        assert main(["--language", "en", "begin", str(tmp_path)]) == 0
        assert said in capsys.readouterr().out
    assert mine.read_text() == "my work" and (tmp_path / progress.FILE).read_text() == "my guesses"


def test_a_file_in_the_way_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("my work")
    assert main(["--language", "en", "begin", str(tmp_path / "mine")]) == 1
    said = capsys.readouterr().err
    assert f"Nothing can be written in {tmp_path / 'mine'}" in said and "Choose another folder" in said


def test_a_package_without_notebooks_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(checkout, "ROOT", tmp_path / "site-packages")
    monkeypatch.chdir(ROOT)
    assert main(["--language", "en", "begin", str(tmp_path / "theirs")]) == 0  # called from the clone
    capsys.readouterr()
    monkeypatch.chdir(tmp_path)
    assert main(["--language", "en", "begin", str(tmp_path / "mine")]) == 1
    assert "Clone the repository" in capsys.readouterr().err
    assert not (tmp_path / "mine").exists()
