"""A committed notebook becomes a page: what waits is folded, pictures have their texts, links lead to pages."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from html import escape, unescape
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote

import nbformat
import pytest
from nbformat import NotebookNode

from loaderlab import course
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES, speaking
from loaderlab.publish import notebook, press, source, website
from loaderlab.publish.checkout import KINDS, PLACEHOLDER, Checkout, at_its_remote, here, write
from places import ROOT

PATH = ROOT / "notebooks" / "01_workers.ipynb"
TITLE = "# Workers\n\n**English** · [Polski](../notebooks_pl/01_workers.ipynb) · [Solution](../solutions/en/01_workers.ipynb)\n\nA GPU."


def adapted(*cells: NotebookNode) -> list[NotebookNode]:
    """The cells of a page that begins with ``TITLE``, without that."""
    whole = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(TITLE), *cells])
    lesson = course.lesson("workers")
    with speaking("pl", lesson.folder):
        return list(website.page(whole, PATH, lesson, {("workers", "tensor_loader")}).cells[1:])


def about(cell: NotebookNode) -> dict[str, Any]:
    """What the part of the page that a cell became says of itself."""
    [output] = cell.outputs
    found = re.search(r'data-lab="([^"]*)"', output.data["text/html"])
    assert found is not None
    whole: dict[str, Any] = json.loads(unescape(found[1]))
    return whole


def code(source: str, data: dict[str, str] | None = None, **metadata: object) -> NotebookNode:
    said: dict[str, object] = {"image/png": {"alt": "Two bars."}} if data and "image/png" in data else {}
    if source.startswith(("lab.explore", "lab.predict")):
        said["loaderlab"] = {"controls": True}
    outputs = [nbformat.v4.new_output("execute_result", data, metadata=said)] if data else []
    return nbformat.v4.new_code_cell(source, outputs=outputs, metadata=metadata)


def test_a_result_that_waits_is_folded_behind_words_in_the_reader_s_language() -> None:
    waits, shown = adapted(code("1 + 1", {"text/plain": "2"}, jupyter={"outputs_hidden": True}), code("2"))
    assert waits.metadata.tags == ["hide-output"]
    assert waits.metadata.mystnb.code_prompt_show == "Pokaż wynik"
    assert shown.metadata.tags == []


def test_the_set_up_is_folded_with_what_it_says() -> None:
    [cell] = adapted(code("import loaderlab as lab", tags=["setup"]))
    assert cell.metadata.tags == ["hide-cell"]


def test_a_picture_has_the_text_that_the_notebook_has_for_it() -> None:
    [cell] = adapted(code("lab.rates(rows)", {"image/png": "AAAA", "text/plain": "Two bars."}))
    assert cell.metadata.mystnb.image == {"alt": "Two bars."}


def test_an_explorer_is_its_picture_and_what_a_script_needs_to_move_it() -> None:
    cell, other = adapted(
        code("lab.explore('timeline').set(num_workers=3)", {"image/png": "AAAA"}),
        code("lab.explore('timeline')"),
    )
    shown, lesson = cell.outputs[0].data["text/html"], course.lesson("workers")
    scene = lesson.scenes()["timeline"]
    with speaking("pl", lesson.folder):
        drawn = scene.draw(**scene.defaults | {"num_workers": 3})
    assert f'alt="{escape(drawn.text)}"' in shown and quote(drawn.svg) in shown
    assert about(cell)["state"]["values"]["num_workers"] == 3
    assert cell.metadata.tags == ["remove-input"]
    assert 'id="timeline"' in shown and 'id="timeline-2"' in other.outputs[0].data["text/html"]


def test_the_values_of_an_explorer_may_stand_in_a_record() -> None:
    source = "setting = Setting(load_ms=40, cores=8)\nlab.explore('timeline').set(**vars(setting))"
    [cell] = adapted(code(source, {"image/png": "AAAA"}))
    values = about(cell)["state"]["values"]
    assert (values["load_ms"], values["cores"]) == (40, 8)
    assert cell.metadata.tags == []  # its code says more than the explorer


def test_a_guess_has_its_card_with_what_was_measured_and_the_fold_behind_it_its_name() -> None:
    measured = "Wait for a batch (ms)\n  num_workers=0: wynik 17 ms\n  num_workers=2: wynik 1 ms"
    why = nbformat.v4.new_markdown_cell("<details>\n<summary>Why</summary>\n\nSo.\n\n</details>")
    card, _result, fold = adapted(
        code("lab.predict('wait')", {"text/plain": "…"}),
        code("lab.compare('wait', found)", {"text/plain": measured}, jupyter={"outputs_hidden": True}),
        why,
    )
    assert about(card)["stored"] == [17, 1] and about(card)["state"]["result"] == ""
    assert fold.source.startswith('<details data-lab-why="wait">')


def test_an_exercise_that_a_browser_can_run_has_an_editor_and_another_says_what_it_needs() -> None:
    def cell(kind: str, name: str) -> NotebookNode:
        made = code(
            f"def {name}():\n    raise NotImplementedError"
            if kind == "answer"
            else f"lab.check('{name}', {name})"
        )
        made.id = f"{kind}-{name}"
        return made

    names = ("tensor_loader", "StatelessAugment")
    found = adapted(
        code("import math\nprint(1)"), *(cell(kind, name) for name in names for kind in ("answer", "check"))
    )
    assert [each.id for each in found[1:]] == [
        "answer-tensor_loader",
        "answer-StatelessAugment",
        "check-StatelessAugment",
    ]
    assert about(found[1])["stub"] == found[1].source and about(found[1])["given"] == ["import math"]
    assert "PyTorch" in found[2].outputs[0].data["text/html"]


def test_a_case_is_shown_as_it_was_stored_with_where_it_is_played_and_on_which_machine_it_was() -> None:
    printed = nbformat.v4.new_output("stream", text="2 of 2 cores\nPython 3.13 · PyTorch 2.9")
    setup = code("lab.begin()", tags=["setup"])
    setup.outputs = [printed]
    stored = {"text/html": "<b>75%</b>"}
    _setup, script, desk, closing, other = adapted(
        setup,
        code("case = lab.case()\ncase", stored),
        code("case.desk(run)", stored),
        code("case.rest()", stored, jupyter={"outputs_hidden": True}),
        code("case.board", stored),
    )
    assert "Colab" in script.outputs[-1].data["text/html"]
    for cell in (desk, closing):
        assert "PyTorch 2.9" in cell.outputs[-1].data["text/html"]
    for cell in (script, desk, closing):
        assert cell.outputs[0].data == stored and "data-lab" not in str(cell.outputs)
    assert closing.metadata.tags == ["hide-output"] and len(other.outputs) == 1


def test_a_page_begins_with_what_it_is_about_and_then_has_its_links_and_downloads() -> None:
    title = TITLE.replace("\n\nA GPU.", " · Minutes: 20\n\nA GPU.")
    whole = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(title)])
    with speaking("en"):
        text = website.page(whole, PATH, course.lesson("workers"), ()).cells[0].source
    assert text.startswith("# Workers\n\nA GPU.\n\n") and "Minutes: 20 · {download}`Solution" in text
    assert "English" not in text and "Polski" not in text  # they are in the bar of every page
    assert "{download}`Solution <solutions/01_workers.ipynb>`" in text
    assert "{download}`Download the notebook <download/01_workers.ipynb>`" in text
    assert "../notebooks" not in text and "../solutions" not in text


def checked_out(folder: Path, remote: str, branch: str = "main") -> Checkout:
    """A checkout without an address in pyproject.toml, and with this remote."""
    for command in (["init", "-q", "-b", branch, "."], ["remote", "add", "origin", remote]):
        subprocess.run(["git", "-C", str(folder), *command], check=True)
    return replace(here(), root=folder, repository=PLACEHOLDER, ref="v1.0")


@pytest.mark.parametrize(
    ("remote", "name"),
    [
        ("https://github.com/o/n", "o/n"),
        ("https://github.com/a-fork/The.Course.git", "a-fork/The.Course"),
        ("https://x-access-token:secret@github.com/o/n.git", "o/n"),
        ("git@github.com:o/n.git", "o/n"),
        ("ssh://git@github.com/o/n", "o/n"),
        ("https://gitlab.com/o/n.git", ""),
        ("https://github.com.evil.org/o/n.git", ""),
        ("https://github.com/your_name/loader-lab", ""),
        ("/srv/git/o/n.git", ""),
    ],
)
def test_a_checkout_has_the_address_of_its_remote_on_github(tmp_path: Path, remote: str, name: str) -> None:
    found = at_its_remote(checked_out(tmp_path, remote, "lessons/new"))
    assert found.repository == (f"https://github.com/{name}" if name else PLACEHOLDER)
    assert found.ref == ("lessons/new" if name else "v1.0")


def test_a_fork_has_its_own_address_and_an_owner_the_chosen_ref(tmp_path: Path) -> None:
    cloned = checked_out(tmp_path, "git@github.com:fork/n.git")
    upstream = replace(cloned, repository="https://github.com/o/n")
    assert at_its_remote(upstream).repository == "https://github.com/fork/n"
    own = replace(cloned, repository="https://github.com/Fork/n")
    assert at_its_remote(own) == own


def test_a_folder_in_another_repository_has_not_its_address(tmp_path: Path) -> None:
    inner = checked_out(tmp_path, "https://github.com/o/n").root / "course"
    inner.mkdir()
    assert not at_its_remote(replace(here(), root=inner, repository=PLACEHOLDER)).has_address


@pytest.mark.parametrize("upstream", [PLACEHOLDER, "https://github.com/up/stream"])
def test_page_and_downloads_have_the_address_of_the_checkout_and_no_other(
    tmp_path: Path, upstream: str
) -> None:
    lesson = here().lessons[0]
    committed = replace(
        checked_out(tmp_path, "https://github.com/fork/n"), repository=upstream, lessons=(lesson,)
    )
    shutil.copytree(here().root / "docs" / "site", tmp_path / "docs" / "site")
    for language, kind in product(LANGUAGES, KINDS):
        sources = replace(committed, root=here().root)
        edition = press.all_editions(sources, source.read(lesson), [])[language]
        write(
            committed.notebook(lesson, language, kind), notebook.canonical(notebook.assemble(edition, kind))
        )
    (tmp_path / "staged").mkdir()
    with speaking("fr"):
        website.stage(at_its_remote(committed), "fr", tmp_path / "staged", ())
    colab = "https://colab.research.google.com/github/fork/n/blob/main"
    for folder, published in (("notebooks_fr", "download"), ("solutions/fr", "solutions")):
        text = (tmp_path / "staged" / published / f"{lesson.file}.ipynb").read_text("utf-8")
        assert text.count(f"]({colab}/{folder}/{lesson.file}.ipynb)") == 1
        assert text.count('(\\"fork/n\\", \\"main\\")') == 1
        assert "up/stream" not in text
    shown = (tmp_path / "staged" / f"{lesson.file}.ipynb").read_text("utf-8")
    assert f"[Ouvrir dans Colab]({colab}/notebooks_fr/{lesson.file}.ipynb)" in shown
    assert "up/stream" not in shown and "%pip" not in shown


def test_without_an_address_a_page_has_no_link_to_colab(tmp_path: Path) -> None:
    cell = nbformat.v4.new_markdown_cell(f"{TITLE}".replace("A GPU.", "20 min · x\n\nA GPU."))
    whole = nbformat.v4.new_notebook(cells=[cell])
    checkout = replace(here(), repository=PLACEHOLDER)
    notebook.readdress(whole, checkout, checkout.root / "notebooks" / "01_workers.ipynb")
    assert "colab" not in whole.cells[0].source


def test_the_closing_card_leads_to_the_next_page() -> None:
    [cell] = adapted(code("lab.score()", {"text/html": '<a href="02_pin_memory.ipynb">Next</a>'}))
    assert cell.outputs[0].data["text/html"] == '<a href="02_pin_memory.html">Next</a>'


def test_without_sphinx_the_command_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(website, "find_spec", lambda name: None)
    with pytest.raises(LabError, match="make site"):
        website.make(here(), tmp_path)
