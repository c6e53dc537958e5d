"""A notebook in a file: the controls of a kernel that has ended cannot be shown, so their picture stays, and the way back.

A front end that finds the view of such a widget shows "Error displaying widget" instead of the picture beside it.
"""

from __future__ import annotations

from typing import Any

from loaderlab.i18n.language import LANGUAGES, speaking
from loaderlab.i18n.language import translate as _
from loaderlab.notebook.widget import VIEW

ABOUT = "loaderlab"  # the course's own metadata


def without_views(output: dict[str, Any]) -> bool:
    """Leave of an output (nbformat 4) what can be shown without a kernel; says whether there were controls."""
    data = output.get("data", {})
    if len(data) < 2 or VIEW not in data:
        return False
    del data[VIEW]
    output["metadata"][ABOUT] = {"controls": True}
    return True


def before_saving(model: dict[str, Any], **_options: Any) -> None:
    """Prepare a notebook before Jupyter's server, which calls this, writes it; files of others are left alone.

    What the learner sees is not touched: the controls of a running notebook go on working.
    """
    notebook = model.get("content")
    if model.get("type") != "notebook" or not isinstance(notebook, dict):
        return
    language = notebook.get("metadata", {}).get(ABOUT, {}).get("language")
    if language not in LANGUAGES:
        return
    with speaking(language):
        for cell in notebook["cells"]:
            if outputs := cell.get("outputs"):
                cell["outputs"] = [shown for output in outputs for shown in _with_the_way_back(output)]


def _with_the_way_back(output: dict[str, Any]) -> list[dict[str, Any]]:
    if not without_views(output):
        return [output]
    if "image/png" in output["data"]:
        words = _("▶ Run this cell to move the sliders.")
    elif "text/html" in output["data"]:
        words = _("▶ Run this cell to go on with the case.")
    else:
        words = _("▶ Run this cell to type your guess.")
    return [output, {"output_type": "stream", "name": "stdout", "text": words}]


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": __name__}]


def _load_jupyter_server_extension(server: Any) -> None:
    """Register :func:`before_saving` with Jupyter's server, which calls this when it starts, as the package's jupyter_server.json says."""
    server.contents_manager.register_pre_save_hook(before_saving)
