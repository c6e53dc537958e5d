"""A committed notebook becomes a page: what waits is folded, pictures have their texts, links lead to pages."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import speaking
from loaderlab.publish import website
from loaderlab.publish.checkout import here

TITLE = "# Workers\n\n**English** · [Polski](../notebooks_pl/01_workers.ipynb) · [Solution](../solutions/en/01_workers.ipynb)\n\nA GPU."


def adapted(*cells: NotebookNode) -> list[NotebookNode]:
    """The cells of a page that begins with ``TITLE``, without that."""
    whole = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(TITLE), *cells])
    with speaking("pl"):
        return list(website.page(whole, "01_workers.ipynb").cells[1:])


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


def test_an_explorer_is_its_picture_and_how_to_move_it() -> None:
    [cell] = adapted(code("lab.explore('x')", {"image/png": "AAAA"}))
    assert [[*output.data] for output in cell.outputs] == [["image/png"], ["text/markdown"]]


def test_a_field_for_a_guess_is_its_question() -> None:
    [cell] = adapted(code("lab.predict('x')", {"text/plain": "Wait (ms): …"}))
    assert [[*output.data] for output in cell.outputs] == [["text/plain"]]


def test_links_lead_to_pages_and_notebooks_are_downloaded() -> None:
    whole = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(TITLE)])
    with speaking("en"):
        text = website.page(whole, "01_workers.ipynb").cells[0].source
    assert '<a href="../pl/01_workers.html" hreflang="pl" lang="pl">Polski</a>' in text
    assert "{download}`Solution <solutions/01_workers.ipynb>`" in text
    assert "{download}`Download the notebook <download/01_workers.ipynb>`" in text
    assert "../notebooks" not in text and "../solutions" not in text


def test_the_closing_card_leads_to_the_next_page() -> None:
    [cell] = adapted(code("lab.score()", {"text/html": '<a href="02_pin_memory.ipynb">Next</a>'}))
    assert cell.outputs[0].data["text/html"] == '<a href="02_pin_memory.html">Next</a>'


def test_without_sphinx_the_command_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(website, "find_spec", lambda name: None)
    with pytest.raises(LabError, match="make site"):
        website.make(here(), tmp_path)
