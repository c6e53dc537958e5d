"""The cell that brings the package to a notebook that is opened without it: `bootstrap.py`, in the words of an edition."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from loaderlab.i18n.language import mark
from loaderlab.publish import bootstrap, code
from loaderlab.publish.slides import SKIP

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbformat import NotebookNode

    from loaderlab.publish.checkout import Checkout

ID = "bootstrap"
# What runs the notebooks of a checkout has the package: nbclient leaves out a cell with this tag, and so do papermill and nbconvert.
SKIPPED = "skip-execution"
_TITLE = mark("Installs Loader Lab where it is missing, as in Colab")
DONE = mark("Loader Lab of {address} ({ref}) is installed, in {seconds} s. PyTorch: {torch}.")
UNKNOWN = mark(
    "Loader Lab is not installed here, and this notebook does not say where its course is. Type the course's address on "
    "GitHub, OWNER/NAME, into `repository` at the top of this cell, and run it again. On a computer of your own, `make lab` in the "
    "course's folder needs none."
)
CLOSED = mark(
    "Loader Lab was not installed: GitHub does not show {address} ({ref}) to everybody. Expected: a public repository, with "
    "this branch or tag. Make it public, or type the address of a public one, OWNER/NAME, into `repository` at the top of this cell; "
    "then run it again."
)
FAILED = mark(
    "Loader Lab was not installed from {address} ({ref}). pip says: “{why}”. Expected: a network. Check it, and run this cell again."
)
_PUBLISHED = re.compile(r'^    published=".*",$', re.MULTILINE)


def cell(checkout: Checkout, say: Callable[[str], str]) -> NotebookNode:
    """Return the cell, folded; ``say`` gives a text of the package in the language of the notebook."""
    from nbformat import v4

    texts = {"done": DONE, "unknown": UNKNOWN, "closed": CLOSED, "failed": FAILED}
    words = [f"    {name}={json.dumps(say(text), ensure_ascii=False)}," for name, text in texts.items()]
    lines = [
        f"# @title {say(_TITLE)}",
        'repository = ""  # @param {"type": "string", "placeholder": "OWNER/NAME"}',
        "",
        "# loaderlab/publish/bootstrap.py",
        ast.unparse(ast.parse(code.essence(Path(bootstrap.__file__).read_text("utf-8")))),
        "",
        "_install(",
        "    repository,",
        '    published="",',
        *words,
        ")",
    ]
    metadata = {
        "cellView": "form",  # folded in Colab
        "jupyter": {"source_hidden": True},  # and elsewhere
        "slideshow": {"slide_type": SKIP},
        "tags": [SKIPPED],
    }
    made = v4.new_code_cell("\n".join(lines), id=ID, metadata=metadata)
    address(made, checkout)
    return made


def address(made: NotebookNode, checkout: Checkout) -> None:
    """Give the cell the address of a checkout, or none where that has none."""
    tree = f"{checkout.repository}/tree/{checkout.ref}" if checkout.has_address else ""
    made.source = _PUBLISHED.sub(f'    published="{tree}",', made.source)
