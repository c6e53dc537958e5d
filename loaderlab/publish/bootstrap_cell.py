"""The cell that brings the package to a notebook that is opened without it, as in Colab."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from loaderlab.i18n.language import mark
from loaderlab.publish.slides import SKIP

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbformat import NotebookNode

    from loaderlab.publish.checkout import Checkout

ID = "bootstrap"
# What runs the notebooks of a checkout has the package: nbclient leaves out a cell with this tag, and so do papermill and nbconvert.
SKIPPED = "skip-execution"
_TITLE = mark("Installs Loader Lab where it is missing, as in Colab")
_OPENED = mark("Colab's sessions say from where this notebook was opened")
_ASK = mark("Type OWNER/NAME of the course on GitHub:")
# GitHub and VS Code cannot fold it, so it is short. An archive needs no git, which may ask for a password. What is deleted in the
# end would let a learner's answer do without an import that it needs.
_SOURCE = """\
# @title <title>
repository = ""  # @param {"type": "string", "placeholder": "OWNER/NAME"}
try:
    import loaderlab as lab
except ModuleNotFoundError:  # <opened>
    import os, re
    sessions = re.sub("%(25)?2F", "/", os.popen("curl -s -m 3 $COLAB_JUPYTER_IP:$KMP_TARGET_PORT/api/sessions").read())
    opened = re.findall('//github.com/([^/]+/[^/]+)/blob/([^"]+)/(?:notebooks|solutions)', sessions)
    known = {(repository, "HEAD")} if repository else set(opened)
    name, ref = known.pop() if len(known) == 1 else (<else>)
    %pip install -q "https://github.com/{name}/archive/{ref}.zip"
    del os, re, sessions, opened, known, name, ref"""


def cell(checkout: Checkout, say: Callable[[str], str]) -> NotebookNode:
    """Return the cell, folded; ``say`` gives a text of the package in the language of the notebook."""
    from nbformat import v4

    metadata = {
        "cellView": "form",  # folded in Colab
        "jupyter": {"source_hidden": True},  # and elsewhere
        "slideshow": {"slide_type": SKIP},
        "tags": [SKIPPED],
    }
    return v4.new_code_cell(source(checkout, say), id=ID, metadata=metadata)


def source(checkout: Checkout, say: Callable[[str], str]) -> str:
    """Return the cell's code, which installs from the address of ``checkout`` where Colab knows none, or asks where that has none."""
    address = f'"{checkout.project}", "{checkout.ref}"'
    ask = f'input({json.dumps(say(_ASK) + " ", ensure_ascii=False)}), "HEAD"'
    return (
        _SOURCE.replace("<title>", say(_TITLE))
        .replace("<opened>", say(_OPENED))
        .replace("<else>", address if checkout.has_address else ask)
    )
