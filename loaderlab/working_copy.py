"""`loaderlab begin`: the lessons as a learner begins them, without the answers that the stored outputs give away.

Beside them lies the file in which the lessons remember points and guesses.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES
from loaderlab.i18n.language import translate as _
from loaderlab.notebook import progress
from loaderlab.publish import bootstrap_cell
from loaderlab.publish.checkout import EXERCISES, Checkout, write
from loaderlab.take import unwritable

ROOT = Path(__file__).parents[1]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `loaderlab begin`."""
    parser.add_argument("folder", type=Path, help="where your copy goes: a folder, new or not")
    parser.add_argument(
        "--language", choices=LANGUAGES, default=argparse.SUPPRESS, help="language of the lessons"
    )


def run(options: argparse.Namespace) -> int:
    """Write the notebooks that are not there yet, and say so."""
    try:
        new, kept = begin(options.folder, options.language)
    except (FileExistsError, NotADirectoryError, PermissionError) as error:
        raise unwritable(options.folder, error) from None
    print(
        _("{folder}: new lessons: {new}, lessons kept as they are: {kept}.").format(
            folder=options.folder, new=len(new), kept=len(kept)
        )
    )
    return 0


def begin(folder: Path, language: str) -> tuple[list[Path], list[Path]]:
    """Copy the lessons of a language into ``folder``, without outputs; returns the files written, and those left alone.

    A file that is there is a learner's work, and is never written over. Raises LabError where the package was installed
    without the notebooks.
    """
    # Beside the package, or, where that was installed, in the clone that the command is called from.
    sources = [Checkout(root, (), "", "").folder(language, EXERCISES) for root in (ROOT, Path.cwd())]
    notebooks = next(filter(None, (sorted(source.glob("*.ipynb")) for source in sources)), [])
    if not notebooks:
        raise LabError(
            _(
                "There are no notebooks in {folder}: this package was installed without them. Clone the repository, and "
                "call `loaderlab begin` from there."
            ).format(folder=sources[0])
        )
    course = _from(folder, notebooks[0].parents[1])
    there = {path for path in notebooks if (folder / path.name).exists()}
    for path in notebooks:
        if path not in there:
            notebook = json.loads(path.read_text("utf-8"))
            # Where there are copies, the package is, too.
            notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] != bootstrap_cell.ID]
            for cell in notebook["cells"]:
                if cell["cell_type"] == "code":
                    cell["outputs"], cell["execution_count"] = [], None
                    cell["metadata"].pop("jupyter", None)  # nothing is hidden where nothing is
                else:  # other languages, the solution
                    cell["source"] = [line.replace("](../", f"]({course}/") for line in cell["source"]]
            write(
                folder / path.name, json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
            )
    if not (folder / progress.FILE).exists():
        write(folder / progress.FILE, progress.EMPTY)
    return [folder / path.name for path in notebooks if path not in there], [
        folder / path.name for path in notebooks if path in there
    ]


def _from(folder: Path, course: Path) -> str:
    """Return the way from ``folder`` to the course's folder, as a link has it."""
    try:
        return Path(os.path.relpath(course.resolve(), folder.resolve())).as_posix()
    except ValueError:  # on another drive
        return course.resolve().as_uri()
