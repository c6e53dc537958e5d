"""Building a course and checking it: what is written, what is run again, what the check sees."""

from __future__ import annotations

import base64
import io
import json
import os
import re
from datetime import date
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert.exporters import ScriptExporter
from nbformat import NotebookNode
from PIL import Image

from loaderlab.drawing import png_metadata
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES, read_catalog
from loaderlab.publish import bootstrap_cell, catalog, execution, notebook, press, raster
from loaderlab.publish.checkout import KINDS, SOLUTIONS, TRANSLATIONS, address
from publish_course import SVG, Course, pretend

TINY_PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def cell_of(found: nbformat.NotebookNode, identity: str) -> nbformat.NotebookNode:
    return next(cell for cell in found.cells if cell.id == identity)


# What is built.


def test_what_was_just_built_has_no_problem(course: Course) -> None:
    assert course.problems() == []


def test_a_second_build_changes_no_byte_and_runs_nothing(course: Course) -> None:
    before = course.files()
    course.build()
    assert course.files() == before
    assert course.ran == []


def test_the_catalogs_alone_are_renewed_without_a_run(course: Course) -> None:
    course.edit(course.source, "range(4)", "range(5)")
    course.edit(course.source, "Return **twice**", "Give **twice**")
    before = course.files()
    press.build(course.checkout, ["tiny"], say=lambda line: None, only_catalogs=True)
    changed = {name for name, content in course.files().items() if before[name] != content}
    assert course.ran == [] and changed == {str(course.catalog(language)) for language in ("fr", "pl")}


def test_force_runs_every_notebook(course: Course) -> None:
    course.build(force=True)
    assert len(course.ran) == len(LANGUAGES) * len(KINDS)


def test_the_notebooks_are_valid_and_canonical(course: Course) -> None:
    for language in LANGUAGES:
        for kind in KINDS:
            text = course.notebook(language, kind).read_text("utf-8")
            found = nbformat.reads(text, as_version=4)
            nbformat.validate(found)
            assert (found.nbformat, found.nbformat_minor) == (4, 5)
            expected = json.dumps(json.loads(text), indent=1, ensure_ascii=False, sort_keys=True) + "\n"
            assert text == expected
            assert set(found.metadata) == {"kernelspec", "language_info", "loaderlab"}
            # Without it nbconvert would write a script as .txt.
            assert found.metadata.language_info.file_extension == ".py"


def test_all_notebooks_of_a_lesson_have_the_same_cells_but_for_notes(course: Course) -> None:
    ids = {
        (
            kind,
            tuple(
                cell.id for cell in course.read(language, kind).cells if not cell.source.startswith("> **")
            ),
        )
        for language in LANGUAGES
        for kind in KINDS
    }
    assert len(ids) == len(KINDS) and len({identities for _kind, identities in ids}) == 1


def test_a_solution_says_in_its_title_that_it_is_one(course: Course) -> None:
    for language in LANGUAGES:
        learners, solved = (course.read(language, kind).cells[0].source.partition("\n")[0] for kind in KINDS)
        assert "Solution" in solved.removeprefix(learners) and "Solution" not in learners


def test_a_learner_gets_no_line_of_a_solution(course: Course) -> None:
    for language in LANGUAGES:
        text = course.notebook(language).read_text("utf-8")
        assert "secret" not in text and "SOLUTION" not in text
        assert "    raise NotImplementedError  # " in cell_of(course.read(language), "answer-double").source
        assert "secret = x + x" in cell_of(course.read(language, SOLUTIONS), "answer-double").source


def test_nbgrader_finds_answer_and_check(course: Course) -> None:
    found = course.read("fr")
    answer = cell_of(found, "answer-double").metadata.nbgrader
    check = cell_of(found, "check-double").metadata.nbgrader
    assert (answer.grade_id, answer.solution, answer.grade, answer.locked) == ("double", True, False, False)
    assert (check.grade_id, check.solution, check.grade, check.locked) == ("check_double", False, True, True)
    assert (check.points, check.schema_version) == (4, 3)


def test_the_title_is_followed_by_links_and_minutes(course: Course) -> None:
    title, links, *_rest = course.read("fr").cells[0].source.split("\n\n")
    assert title == "# Voilà A tiny lesson"
    folder = course.notebook("fr").parent
    paths = re.findall(r"\]\((\.\./[^)]+)\)", links)
    assert [(folder / path).resolve() for path in paths] == [
        course.notebook("en"),
        course.notebook("pl"),
        course.notebook("fr", SOLUTIONS),
    ]
    assert "(https://colab.research.google.com/github/o/n/blob/main/notebooks_fr/01_tiny.ipynb)" in links
    assert "![" not in links  # a picture from the web would be broken without a network
    assert "**Français**" in links and links.endswith("5, plus 6 for the exercises")


def test_an_exercise_says_what_it_is_worth_under_its_heading_and_the_first_one_the_rule(
    course: Course,
) -> None:
    assert cell_of(course.read("en"), "statement-double").source.startswith(
        "## Double it\n\nPoints: 4 · Difficulty: ●●○ · Minutes: 6\n\n"
        "Your function must not change its arguments, unless the exercise says so.\n\nReturn"
    )
    sources = [cell.source for cell in course.read("en").cells]
    assert sum("must not change its arguments" in source for source in sources) == 1


def test_the_set_up_cell_is_two_lines_behind_a_folded_one_that_installs_what_is_missing(
    course: Course,
) -> None:
    for kind in KINDS:
        code = [cell for cell in course.read("pl", kind).cells if cell.cell_type == "code"]
        installs, setup = code[:2]
        assert setup.source.split("\n") == ["import loaderlab as lab", 'lab.begin("tiny", language="pl")']
        assert setup.metadata.tags == ["setup", "nbval-ignore-output"]
        assert '("o/n", "main")' in installs.source
        assert installs.source.startswith("# @title Oto Installs Loader Lab")
        assert installs.metadata.jupyter.source_hidden and installs.metadata.cellView == "form"
        # A build leaves it out, and it has no number.
        assert installs.metadata.tags == [NotebookClient.skip_cells_with_tag.default_value]
        assert (installs.execution_count, setup.execution_count) == (None, 1)


def test_another_way_to_install_makes_no_output_stale(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs = [cell.outputs for cell in course.read("fr").cells if cell.cell_type == "code"]
    monkeypatch.setattr(bootstrap_cell, "_TITLE", "Otherwise installed")
    course.build()
    found = course.read("fr")
    assert "Otherwise installed" in cell_of(found, bootstrap_cell.ID).source
    assert course.ran == []
    assert [cell.outputs for cell in found.cells if cell.cell_type == "code"] == outputs


def test_notebooks_from_before_the_cell_that_installs_get_it_and_are_not_run(course: Course) -> None:
    for language in LANGUAGES:
        for kind in KINDS:
            old = course.read(language, kind)
            old.cells = [cell for cell in old.cells if cell.id != bootstrap_cell.ID]
            course.notebook(language, kind).write_text(notebook.canonical(old), "utf-8")
    course.build()
    assert course.ran == [] and course.problems() == []
    assert cell_of(course.read("fr"), bootstrap_cell.ID)


def test_comments_docstrings_and_diagrams_are_translated(course: Course) -> None:
    sources = [cell.source for cell in course.read("fr", SOLUTIONS).cells]
    assert any(source.startswith("# Voilà the sum of all\n") for source in sources)
    assert any('"""Voilà Twice the number."""' in source for source in sources)
    diagram = (course.checkout.images / "fr" / "tiny.svg").read_text("utf-8")
    assert raster.is_drawn_from(course.checkout.images / "fr" / "tiny.png", diagram)
    assert diagram == SVG.replace("Two", "Voilà Two").replace("first", "Voilà first").replace(
        "last", "Voilà last"
    )


def test_a_pyproject_without_an_address_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    with pytest.raises(LabError, match="Repository"):
        address(tmp_path / "pyproject.toml")


def test_a_notebook_is_exported_as_a_script_of_python(course: Course) -> None:
    text, resources = ScriptExporter().from_notebook_node(course.read("en"))
    assert resources["output_extension"] == ".py" and "def double(x):" in text


# What an edit does.


def test_an_edit_of_prose_runs_nothing_and_keeps_the_other_cells(course: Course) -> None:
    ids = [cell.id for cell in course.read("en").cells]
    course.edit(course.source, "Return **twice** the number.", "Give back twice the number.")
    course.build()
    assert course.ran == []
    assert "Give back" in course.notebook("en").read_text("utf-8")
    assert [cell.id for cell in course.read("en").cells] == ids


@pytest.mark.parametrize(
    ("heading", "lead", "title"), [("### Why", "### ", "Why"), ("## 2. Why", "## 2. ", "2. Why")]
)
def test_a_section_that_goes_deeper_is_collapsed_under_words_that_say_so_and_runs_nothing(
    course: Course, heading: str, lead: str, title: str
) -> None:
    sums = "```{code-cell} ipython3\n# the sum of all"
    course.edit(course.source, sums, f'+++ {{"minutes": 3, "deeper": true}}\n\n{heading}\n\n{sums}')
    course.build()
    for language in TRANSLATIONS:
        course.translate(language)
    course.edit(course.lesson.folder / "fr.po", f'"Voilà {title}"', f'"{title.replace("Why", "Pourquoi")}"')
    course.build()
    assert course.ran == [] and course.problems() == []
    english, french = (course.read(language) for language in ("en", "fr"))
    [at] = [number for number, cell in enumerate(english.cells) if "Why" in cell.source]
    for found, words in ((english, "Deeper: Why"), (french, "Voilà Deeper\u00a0: Pourquoi")):
        cell = found.cells[at]
        assert cell.source == lead + words
        assert cell.metadata["jp-MarkdownHeadingCollapsed"]
        assert found.metadata.colab.collapsed_sections == [cell.id] == [cell.metadata.id]
    assert "Minutes: 5, plus 3 for what goes deeper, plus 6 for the exercises" in english.cells[0].source
    solved = course.read("en", SOLUTIONS)
    assert "colab" not in solved.metadata
    assert [cell.metadata for cell in solved.cells if "Why" in cell.source] == [
        {"slideshow": english.cells[at].metadata.slideshow}
    ]


def test_an_edit_of_code_runs_the_notebooks_again(course: Course) -> None:
    course.edit(course.source, "range(4)", "range(5)")
    course.build()
    assert len(course.ran) == 6


def test_a_solution_runs_the_solutions_only(course: Course) -> None:
    course.edit(course.source, "secret = x + x", "secret = 2 * x")
    course.build()
    assert course.ran == [f"tiny ({language}, solutions)" for language in LANGUAGES]


def test_a_message_runs_the_notebooks_that_said_it_and_no_other(course: Course) -> None:
    course.edit(course.checkout.locale / "fr.po", "Voilà Cores: {n}", "Cœurs : {n}")
    expect(course, course.checkout.name(course.notebook("fr", SOLUTIONS)), "outputs come from other code")
    course.build()
    assert course.ran == ["tiny (fr, solutions)"]
    course.edit(course.checkout.package / "hello.py", "Cores: {n}", "There are {n} cores")
    course.build()
    assert course.ran[1:] == [f"tiny ({language}, solutions)" for language in LANGUAGES]


@pytest.mark.parametrize(
    ("old", "new"), [("# the sum of all", "# all of them"), ('    """Twice', '    """2 x')]
)
def test_an_edited_comment_or_docstring_runs_nothing(course: Course, old: str, new: str) -> None:
    ran_on = course.read("en").metadata.loaderlab.run
    assert date.fromisoformat(ran_on) <= date.today()
    course.edit(course.source, old, new)
    course.build()
    assert course.read("en").metadata.loaderlab.run == ran_on
    assert course.ran == [] and new in course.notebook("en").read_text("utf-8").replace("\\", "")


def test_a_message_or_a_comment_in_a_lesson_s_python_runs_nothing_that_did_not_say_it(course: Course) -> None:
    course.edit(course.lesson.folder / "__init__.py", '"Load time")', '"Load (ms)")  # in all')
    course.build()
    assert course.ran == []


def test_the_minutes_and_needs_of_a_lesson_run_nothing(course: Course) -> None:
    course.edit(course.lesson.folder / "__init__.py", "LABEL", "MINUTES = 5\nLABEL")
    course.build()
    assert course.ran == []


def test_a_text_of_a_diagram_runs_its_language_only(course: Course) -> None:
    course.edit(course.catalog("pl"), "Oto Two workers", "Dwa workery")
    course.build()
    assert course.ran == ["tiny (pl, exercises)", "tiny (pl, solutions)"]


def test_a_changed_sentence_keeps_its_translation_as_fuzzy_with_the_previous_english(course: Course) -> None:
    course.edit(course.source, "Return **twice** the number.", "Return **twice** the given number.")
    course.build()
    entry = read_catalog(course.catalog("fr")).find("Return **twice** the given number.")
    assert entry.fuzzy and entry.previous_msgid == "Return **twice** the number."
    assert entry.msgstr == "Voilà Return **twice** the number."
    assert "Return **twice** the given number." in course.notebook("fr").read_text("utf-8")
    assert any("is fuzzy" in problem for problem in course.problems())


def test_a_removed_sentence_stays_in_the_catalog_until_somebody_deletes_it(course: Course) -> None:
    course.edit(
        course.source, "Return **twice** the number.", "Quite another thing, at last, is asked for here."
    )
    course.edit(course.source, "# the sum of all\n", "")
    course.build()
    assert any("'the sum of all' is no longer used" in problem for problem in course.problems())


def test_references_have_no_line_numbers(course: Course) -> None:
    references = [
        line for line in course.catalog("fr").read_text("utf-8").split("\n") if line.startswith("#:")
    ]
    assert references and not any(re.search(r":\d", line) for line in references)


def test_messages_of_python_are_found_whatever_they_are_marked_with(gettext: None, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text('_("one " "and two")\nmark("é")\ntranslate("four {n}")\nother("five")\n', "utf-8")
    assert [message.text for message in catalog.of_python(tmp_path, [path])] == [
        "one and two",
        "é",
        "four {n}",
    ]


# What the check sees.


def expect(course: Course, *parts: str) -> None:
    problems = course.problems()
    assert any(all(part in problem for part in parts) for problem in problems), problems


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Voilà It shows `one`", "Voilà It shows one", "code: missing `one`"),
        ('msgstr "Voilà Load time"', 'msgstr ""', "'Load time' is not translated"),
        ('msgid "Load time"', '#, fuzzy\nmsgid "Load time"', "'Load time' is fuzzy"),
        ("Voilà Load time", "Vous devriez voir", "breaks a rule of style"),
    ],
)
def test_the_check_sees_what_a_translation_lacks(course: Course, old: str, new: str, said: str) -> None:
    course.edit(course.catalog("fr"), old, new)
    expect(course, "lessons/tiny/fr.po", said)


def test_the_check_sees_a_lost_placeholder(course: Course) -> None:
    course.edit(course.checkout.locale / "fr.po", "Voilà Cores: {n}", "Voilà Cores")
    expect(course, "locale/fr.po", "placeholder: missing {n}")


def test_the_check_sees_a_catalog_that_does_not_parse(course: Course) -> None:
    course.edit(course.catalog("pl"), 'msgstr "Oto Load time"', 'msgstr "Oto Load time')
    expect(course, "pl.po", "cannot be read", "line")
    with pytest.raises(LabError, match="cannot be read"):
        course.build()


def test_the_check_sees_new_english(course: Course) -> None:
    course.edit(course.source, "Return **twice**", "Return *twice*")
    expect(course, "notebooks/01_tiny.ipynb", "not what the sources give")
    expect(course, "lessons/tiny/fr.po", "not what the sources give")


@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_check_sees_edited_code_in_one_notebook(course: Course, language: str) -> None:
    course.edit(course.notebook(language), "range(4)", "range(6)")
    expect(course, course.checkout.name(course.notebook(language)), "not what the sources give")
    expect(course, "notebooks_fr/01_tiny.ipynb", "differs from the English")


def test_the_check_sees_stale_outputs(course: Course) -> None:
    """Of what a cell comes to; how an answer is judged changes none."""
    (course.lesson.folder / "probes.py").write_text("EXTRA = 1\n")
    (course.lesson.folder / "extra.py").write_text("EXTRA = 1\n")
    assert course.problems() == []
    (course.lesson.folder / "total.py").write_text("EXTRA = 1\n")
    for language in LANGUAGES:
        expect(course, course.checkout.name(course.notebook(language)), "outputs come from other code")


def test_the_check_sees_a_cell_that_was_never_executed(course: Course) -> None:
    course.edit(course.notebook("pl"), '"execution_count": 2', '"execution_count": null')
    expect(course, "notebooks_pl/01_tiny.ipynb", "never executed")


def test_the_check_ignores_outputs_but_not_errors_size_or_this_machine_s_folders(course: Course) -> None:
    found = course.read("en")
    cell = cell_of(found, "check-double")
    cell.outputs = [nbformat.v4.new_output("stream", text="fine\n")]
    course.notebook("en").write_text(notebook.canonical(found), "utf-8")
    assert course.problems() == []
    cell.outputs = [
        nbformat.v4.new_output("stream", text=f"{course.checkout.root}/x.py" + "x" * 600_000),
        nbformat.v4.new_output("error", ename="E", evalue="e", traceback=[]),
    ]
    course.notebook("en").write_text(notebook.canonical(found), "utf-8")
    expect(course, "notebooks/01_tiny.ipynb", "less than 600000 are expected")
    expect(course, "notebooks/01_tiny.ipynb", "an output is an error")
    expect(course, "notebooks/01_tiny.ipynb", "only on the machine that built")


def test_the_check_sees_edited_diagrams_and_readmes(course: Course) -> None:
    course.edit(course.checkout.images / "fr" / "tiny.svg", "Voilà", "Voici")
    course.edit(course.checkout.root / "README.pl.md", "| 5\u00a0+", "| 6\u00a0+")
    (course.checkout.images / "tiny.png").write_bytes(base64.b64decode(TINY_PNG))
    expect(course, "images/fr/tiny.svg", "not what the sources give")
    expect(course, "images/tiny.png", "not what the sources give")
    expect(course, "README.pl.md", "not what the sources give")


def test_the_check_sees_missing_files_and_strays(course: Course) -> None:
    course.notebook("fr").rename(course.notebook("fr").with_name("09_gone.ipynb"))
    expect(course, "notebooks_fr/01_tiny.ipynb", "missing")
    expect(course, "notebooks_fr/09_gone.ipynb", "Delete it")


def test_the_check_sees_words_that_nobody_would_translate(course: Course) -> None:
    course.edit(course.source, "total\n", 'total\nprint("here is a whole sentence")\n')
    course.edit(
        course.source,
        "Return **twice**",
        "<details>\n<summary>Look here</summary>\n</details>\n\nReturn **twice**",
    )
    expect(course, "lesson.md, cell", "'here is a whole sentence'")
    expect(course, "lesson.md, cell", "Look here")


# Sources that are wrong.


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "    ### END SOLUTION\n",
            "",
            r"tiny/lesson.md, cell \d+, line 3 of the cell: ### BEGIN SOLUTION without",
        ),
        (":exercise: double\n", "", "this cell has a solution, but belongs to no exercise"),
        (":check: double\n", ":check: triple\n", "do not agree.*'check' are for triple"),
        (":tags: [setup]\n", "", "no set-up cell"),
        ("# A tiny lesson\n", "", "does not begin with a title"),
        ("## Double it\n", "", "an exercise without a heading"),
        (
            '{"minutes": 5}\n\n## Add up\n',
            '{"minutes": 5, "deeper": true}\n\n## Add up\n\nText.\n',
            "must begin with its heading alone",
        ),
        ('lab.diagram("tiny")', 'lab.diagram("huge")', "the diagram 'huge'"),
    ],
)
def test_a_wrong_lesson_is_refused_and_nothing_is_written(
    course: Course, old: str, new: str, said: str
) -> None:
    course.edit(course.source, old, new)
    before = course.files()
    with pytest.raises(LabError, match=said):
        course.build()
    assert course.files() == before
    assert any(re.search(said, problem) for problem in course.problems())


def test_without_gettext_the_author_is_told_what_to_install(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(course.checkout.root))
    with pytest.raises(LabError, match="apt install gettext"):
        course.build()


# Running.


def run(*sources: str, folder: Path) -> tuple[nbformat.NotebookNode, set[str]]:
    found = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    found.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    return found, execution.run(found, folder, "tiny (fr, exercises)", os.environ)


def test_a_run_tells_what_was_said_by_its_children_too(tmp_path: Path) -> None:
    say = "from loaderlab.i18n.language import translate as _; _('Draw {}')"
    child = (
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {say.format('two')!r}], check=True)"
    )
    _found, said = run(say.format("one"), child, folder=tmp_path)
    assert said == {"Draw one", "Draw two"}


def test_a_run_stores_outputs_as_they_are_committed(tmp_path: Path) -> None:
    source = (
        "import os, sys, tempfile\n"
        "for part in 'ab': print(part); sys.stdout.flush()\n"
        "print(os.path.join(tempfile.gettempdir(), 'loaderlab-x1', 'y.py'), os.path.basename(os.getcwd()))\n"
        "3"
    )
    found, _said = run(source, folder=tmp_path / "new")
    (cell,) = found.cells
    assert cell.execution_count == 1 and "execution" not in cell.metadata
    assert cell.outputs[0].text == "a\nb\nscratch/y.py new\n"
    assert cell.outputs[1].data == {"text/plain": "3"} and len(cell.outputs) == 2
    assert set(found.metadata) == {"kernelspec"}


def test_a_failing_cell_is_named_and_nothing_is_written(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        pytest.raises(
            LabError, match=r"tiny \(fr, exercises\): cell 2 failed with\nZeroDivisionError"
        ) as caught,
        monkeypatch.context() as patch,
    ):
        patch.setattr(execution, "run", REAL_RUN)
        run("1", "2 / 0", folder=course.checkout.root)
    assert "2 / 0" in str(caught.value)
    before = course.notebook("en").read_bytes()

    def fail(*arguments: object) -> None:
        raise LabError("no")

    monkeypatch.setattr(execution, "run", fail)
    with pytest.raises(LabError):
        course.build(force=True)
    assert course.notebook("en").read_bytes() == before


REAL_RUN = execution.run


# Pictures that contradict themselves.

DRAWS = "lab.rates(lab.benchmark(sweep), x='num_workers')"
HOLDS = {"num_workers": 2, "samples_per_second": 90.0}, {"limit": 100.0}
BROKEN = {"num_workers": 2, "samples_per_second": 297.0}, {"limit": 100.0}


def drawn(*rows: dict[str, float], others: float = 0.0) -> NotebookNode:
    """A fixture, plainly: an output with a picture that carries these rows."""
    png = io.BytesIO()
    Image.new("RGB", (8, 8)).save(png, "PNG")
    about = {"x": "num_workers", "y": "samples_per_second", "by": None}
    content = about | {"rows": rows, "circumstances": {"others": others, "cores": 2, "threads": 1}}
    data = {"image/png": base64.b64encode(png_metadata.pack(png.getvalue(), content)).decode()}
    return nbformat.v4.new_output("display_data", data)


def drawing(course: Course, outputs: list[NotebookNode]) -> Any:
    """Stands for running a notebook whose sum is a picture, each time the next one of these."""
    pretended = pretend(course)

    def run(found: Any, *arguments: Any) -> set[str]:
        said = pretended(found, *arguments)
        cell = next(cell for cell in found.cells if DRAWS in cell.source)
        cell.outputs = [outputs.pop(0)]
        return said

    return run


def test_a_notebook_whose_picture_does_not_hold_is_run_again(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    course.edit(course.source, "total\n", f"{DRAWS}\n")
    outputs = [drawn(*BROKEN), drawn(*HOLDS, others=1.0), *[drawn(*HOLDS)] * 6]
    monkeypatch.setattr(execution, "run", drawing(course, outputs))
    course.build()
    assert course.ran[:4] == ["tiny (en, exercises)"] * 3 + ["tiny (en, solutions)"]
    assert not outputs and not [p for p in course.problems() if ".ipynb" in p]


def test_the_build_gives_up_and_names_the_cell(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    course.edit(course.source, "total\n", f"{DRAWS}\n")
    monkeypatch.setattr(execution, "run", drawing(course, [drawn(*BROKEN)] * 3))
    before = course.notebook("en").read_bytes()
    with pytest.raises(LabError, match=r"after 3 runs .*cell \d \(lab.rates.*2.97 times its own limit"):
        course.build()
    assert course.notebook("en").read_bytes() == before


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (drawn(*BROKEN), "2.97 times its own limit"),
        (drawn(*HOLDS, others=0.6), "other programs used 0.60 cores"),
        (drawn({**HOLDS[0]}, {**HOLDS[0], "samples_per_second": 40.0}), "differ by a factor of 2.25"),
        (nbformat.v4.new_output("display_data", {"image/png": TINY_PNG}), "does not carry the rows"),
        (drawn({"num_workers": 2, "samples_per_second": -1}), "-1 in the column 'samples_per_second'"),
        (
            nbformat.v4.new_output("display_data", {"text/plain": "Segments\n--------\n-1"}),
            "-1 in the column 'Segments'",
        ),
    ],
)
def test_the_check_reads_the_rows_of_committed_pictures(
    course: Course, monkeypatch: pytest.MonkeyPatch, output: NotebookNode, said: str
) -> None:
    course.edit(course.source, "total\n", f"{DRAWS}\n")
    monkeypatch.setattr(execution, "run", drawing(course, [drawn(*HOLDS)] * 6))
    course.build()
    found = course.read("pl")
    next(cell for cell in found.cells if DRAWS in cell.source).outputs = [output]
    course.notebook("pl").write_text(notebook.canonical(found), "utf-8")
    expect(course, "notebooks_pl/01_tiny.ipynb", said)
