"""`loaderlab begin`: the lessons as a learner begins them, without the answers that the stored outputs give away.

They are there in all languages, with their solutions, and lead to one another: none of them is a file of the course, which an update
would want to write. Beside them lies the file in which the lessons of all languages remember points and guesses.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES
from loaderlab.i18n.language import translate as _
from loaderlab.notebook import progress
from loaderlab.publish import bootstrap_cell
from loaderlab.publish.checkout import KINDS, ROOT, SOLUTIONS, with_notebooks, write
from loaderlab.take import unwritable

_LINK = re.compile(r"\[([^\]]*)\]\((\.\./[^)\s#]*)([^)]*)\)")
ZIP = ".zip"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `loaderlab begin`."""
    parser.add_argument(
        "folder",
        type=Path,
        help="where your copy goes: a folder, new or not (the other languages and the solutions lie beside it where it is named "
        "after its language, such as my/fr, and inside it otherwise), or a new file.zip to hand out",
    )
    parser.add_argument(
        "--without-solutions",
        action="store_true",
        help="leave out the solutions, for a class before its deadline",
    )
    parser.add_argument(
        "--language", choices=LANGUAGES, default=argparse.SUPPRESS, help="language of the lessons"
    )


def run(options: argparse.Namespace) -> int:
    """Write the notebooks that are not there yet, and say so."""
    kinds = tuple(kind for kind in KINDS if kind != SOLUTIONS or not options.without_solutions)
    try:
        if options.folder.suffix == ZIP:
            print(_("written: {file}").format(file=_zipped(options.folder, options.language, kinds)))
            return 0
        new, kept = begin(options.folder, options.language, kinds)
    except (FileExistsError, NotADirectoryError, PermissionError) as error:
        raise unwritable(options.folder, error) from None
    if new:
        words = _("{folder}: new lessons: {new}, lessons kept as they are: {kept}.")
    else:
        words = _("{folder}: all lessons are there already, and were kept as they are: {kept}.")
    print(words.format(folder=options.folder, new=len(new), kept=len(kept)))
    return 0


def _zipped(file: Path, language: str, kinds: Sequence[str]) -> Path:
    """Write the lessons of one language into a new zip file, to hand out; raises ``FileExistsError`` where there is one."""
    if file.exists():
        raise FileExistsError(file)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, file.stem)
        begin(folder / language, language, kinds, handed_out=True)
        return Path(shutil.make_archive(str(file.with_suffix("")), "zip", place, file.stem))


@dataclass(frozen=True)
class Copy:
    """Where the notebooks of a learner lie: those of ``language`` in ``folder``, the others and the solutions beside it.

    They are inside of it where the folder is not named after the language.
    """

    folder: Path
    language: str

    @property
    def home(self) -> Path:
        """The folder of all of it, which remembers points and guesses."""
        return self.folder.parent if self.folder.name == self.language else self.folder

    def place(self, language: str, kind: str) -> Path:
        """Return the folder of the notebooks of that language and kind."""
        if kind == SOLUTIONS:
            return self.home / "solutions" / language
        return self.folder if language == self.language else self.home / language


def begin(
    folder: Path, language: str, kinds: Sequence[str] = KINDS, handed_out: bool = False
) -> tuple[list[Path], list[Path]]:
    """Copy the lessons into ``folder``, without outputs, and those of the other languages and the solutions beside them.

    A copy that is ``handed_out`` leads nowhere else, and its first cell installs the package where there is none.
    Returns the files of this language that were written, and those left alone. A file that is there is a learner's work, and is never
    written over. Raises LabError where the package was installed without the notebooks.
    """
    course = with_notebooks(language)
    if course is None:
        raise LabError(
            _(
                "There are no notebooks in {folder}: this package was installed without them. Clone the repository, and "
                "call `loaderlab begin` from there."
            ).format(folder=ROOT)
        )
    copy = Copy(folder, language)
    places = {
        path.resolve(): copy.place(each, kind) / path.name
        for each in ((language,) if handed_out else LANGUAGES)
        for kind in kinds
        for path in sorted(course.folder(each, kind).glob("*.ipynb"))
    }
    there = {target for target in places.values() if target.exists()}
    for source, target in places.items():
        if target not in there:
            write(target, _copied(source, target, places, handed_out))
    _remember(copy)
    own = [target for target in places.values() if target.parent == folder]
    return [path for path in own if path not in there], [path for path in own if path in there]


def _copied(source: Path, target: Path, places: Mapping[Path, Path], handed_out: bool) -> str:
    """Return a notebook of the course as it lies in a learner's folder: without what gives answers away, and with links to copies.

    A link to what was not copied leads to the course; one to a solution that was left out is plain text.
    """
    notebook = json.loads(source.read_text("utf-8"))
    cells = [
        cell
        for cell in notebook["cells"]
        # Where there are copies of one's own, the package is, too. Notes are for those who teach.
        if (handed_out or cell["id"] != bootstrap_cell.ID)
        and cell["metadata"].get("slideshow", {}).get("slide_type") != "notes"
    ]

    def led(link: re.Match[str]) -> str:
        words, way, behind = link.groups()
        leads = (source.parent / way).resolve()
        if leads not in places and (handed_out or SOLUTIONS in leads.parts):
            return str(words)
        return f"[{words}]({_way(target.parent, places.get(leads, leads))}{behind})"

    solved = SOLUTIONS in source.parts
    for cell in cells:
        if cell["cell_type"] != "code":  # other languages, the solution
            cell["source"] = [_LINK.sub(led, line) for line in cell["source"]]
        elif not solved:
            cell["outputs"], cell["execution_count"] = [], None
            cell["metadata"].pop("jupyter", None)  # nothing is hidden where nothing is
    notebook["cells"] = cells
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _remember(copy: Copy) -> None:
    """Have one file remember for all languages: the one that an older copy has beside its lessons, or a new one."""
    common, own = copy.home / progress.FILE, copy.folder / progress.FILE
    if common.exists():
        return
    if own.exists():
        own.rename(common)
    else:
        write(common, progress.EMPTY)


def _way(folder: Path, target: Path) -> str:
    """Return the way from ``folder`` to ``target``, as a link has it."""
    try:
        return Path(os.path.relpath(target.resolve(), folder.resolve())).as_posix()
    except ValueError:  # on another drive
        return target.resolve().as_uri()
