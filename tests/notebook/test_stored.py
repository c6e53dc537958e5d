"""What a saved notebook keeps of a widget: what it showed, and how to bring it back; what runs is not touched."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import nbformat
import pytest
from traitlets.config.loader import PyFileConfigLoader

from loaderlab.notebook.stored import VIEW, before_saving, without_views
from loaderlab.words.language import LANGUAGES
from places import ROOT, notebooks

WORDS = {"en": "move the sliders", "fr": "déplacer les curseurs", "pl": "przesuwać suwaki"}


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
    assert WORDS[language] in words["text"].replace("\u00a0", " ")


def test_a_field_is_saved_as_its_words() -> None:
    field, words = saved("en", output(text_plain="Which share? …"))
    assert field["data"] == {"text/plain": "Which share? …"} and "type your guess" in words["text"]


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


def test_jupyter_finds_the_hook_in_the_folder_of_the_clone() -> None:
    config = PyFileConfigLoader("jupyter_server_config.py", str(ROOT)).load_config()
    assert config.ContentsManager.pre_save_hook is before_saving


@pytest.mark.parametrize("path", notebooks().values(), ids=notebooks().keys())
def test_no_committed_notebook_needs_a_kernel_to_show_its_pictures(path: Path) -> None:
    text = path.read_text("utf-8")
    assert VIEW not in text and "image/svg+xml" not in text
    assert '"controls": true' in text  # every lesson has an explorer
