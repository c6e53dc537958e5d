"""What a saved notebook keeps of a widget: what it showed, and how to bring it back; what runs is not touched."""

from __future__ import annotations

import copy
import importlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from jupyter_server.services.contents.filemanager import FileContentsManager

from loaderlab.i18n.language import LANGUAGES, LOCALE, messages
from loaderlab.notebook import stored
from loaderlab.notebook.stored import before_saving, without_views
from loaderlab.notebook.widget import VIEW
from places import notebooks

SLIDERS = "▶ Run this cell to move the sliders."


def output(**data: Any) -> dict[str, Any]:
    shown = {VIEW: {"model_id": "1"}, **{kind.replace("_", "/"): text for kind, text in data.items()}}
    return {"output_type": "display_data", "data": shown, "metadata": {"image/png": {"width": 800}}}


def saved(language: str | None, *outputs: dict[str, Any]) -> list[dict[str, Any]]:
    """The outputs of a cell after saving."""
    about = {} if language is None else {"loaderlab": {"language": language}}
    cells = [
        {"cell_type": "markdown", "source": "", "metadata": {}},
        {"cell_type": "code", "source": "", "metadata": {}, "execution_count": 1, "outputs": list(outputs)},
    ]
    content = {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 4}
    before_saving({"type": "notebook", "content": content}, path="x.ipynb", contents_manager=None)
    nbformat.validate(nbformat.from_dict(content))
    return content["cells"][1]["outputs"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_explorer_is_saved_as_its_picture_and_the_way_back(language: str) -> None:
    picture, words = saved(language, output(image_png="iVBO", text_plain="a sentence"))
    assert set(picture["data"]) == {"image/png", "text/plain"} and picture["metadata"]["image/png"]
    assert words["text"] == messages(language, LOCALE).get(SLIDERS, SLIDERS)


def test_a_field_is_saved_as_its_words() -> None:
    field, words = saved("en", output(text_plain="Which share? …"))
    assert field["data"] == {"text/plain": "Which share? …"} and "type your guess" in words["text"]


def test_a_case_is_saved_as_its_script_or_board() -> None:
    board, words = saved("en", output(text_html="<div>5%</div>", text_plain="5%"))
    assert set(board["data"]) == {"text/html", "text/plain"} and "go on with the case" in words["text"]


def test_saving_twice_says_it_once() -> None:
    once = saved("en", output(image_png="iVBO", text_plain="a sentence"))
    assert saved("en", *copy.deepcopy(once)) == once and len(once) == 2


def test_what_is_not_the_course_s_is_left_alone() -> None:
    theirs = output(image_png="iVBO", text_plain="x")
    assert saved(None, copy.deepcopy(theirs)) == [theirs]
    before_saving({"type": "file", "content": "text"})
    before_saving({"type": "notebook", "content": None})


def test_a_widget_that_has_nothing_else_to_show_stays_one() -> None:
    alone = output()
    assert not without_views(alone) and VIEW in alone["data"]


def test_jupyter_s_server_calls_it_before_it_writes(tmp_path: Path) -> None:
    server = SimpleNamespace(contents_manager=FileContentsManager(root_dir=str(tmp_path)))
    named = json.loads((Path(stored.__file__).parent / "jupyter_server.json").read_text("utf-8"))
    (module,) = named["ServerApp"]["jpserver_extensions"]
    (point,) = importlib.import_module(module)._jupyter_server_extension_points()
    importlib.import_module(point["module"])._load_jupyter_server_extension(server)
    cell = nbformat.v4.new_code_cell(
        "x", outputs=[nbformat.from_dict(output(image_png="iVBO", text_plain="x"))]
    )
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata={"loaderlab": {"language": "en"}})
    server.contents_manager.save({"type": "notebook", "content": notebook}, "lesson.ipynb")
    written = (tmp_path / "lesson.ipynb").read_text("utf-8")
    assert VIEW not in written and "image/png" in written and SLIDERS in written


@pytest.mark.parametrize("path", notebooks().values(), ids=notebooks().keys())
def test_no_committed_notebook_needs_a_kernel_to_show_its_pictures(path: Path) -> None:
    text = path.read_text("utf-8")
    assert VIEW not in text
    assert '"image/svg+xml"' not in text  # an output; in HTML, as the source of a picture, it is shown
    assert '"controls": true' in text  # every lesson has an explorer
