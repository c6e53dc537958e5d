"""`loaderlab take`: a script of `loaderlab/scripts`, with what it needs, written into a project of the learner's."""

from __future__ import annotations

import argparse
import ast
import keyword
from pathlib import Path

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.single_file import merged

SCRIPTS = ("efficient_dataloader", "distributed_sampler", "webdataset_loader", "diagnose")
SOURCE = Path(__file__).parent / "scripts"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `loaderlab take`."""
    parser.add_argument("script", choices=(*SCRIPTS, "all"), help="which script")
    parser.add_argument(
        "place",
        type=Path,
        metavar="FOLDER",
        help="where it goes: a folder, new or not, in your project; or FILE.py, which is --single",
    )
    parser.add_argument(
        "--single",
        action="store_true",
        help="write one file: the script, and only what it uses of the modules that it imports",
    )
    parser.add_argument(
        "--force", action="store_true", help="write over files there that have other contents"
    )


def run(options: argparse.Namespace) -> int:
    """Write the files, and say how many they are and how the script is called there."""
    scripts = SCRIPTS if options.script == "all" else (options.script,)
    in_one = options.single or options.place.suffix == ".py"
    taken = (single if in_one else package)(scripts, options.place)
    for path in write(taken, options.place, force=options.force):
        print(path)
    lines = sum(text.count(b"\n") for text in taken.values())
    print(_("Files: {files}; lines: {lines}.").format(files=number(len(taken)), lines=number(lines)))
    if in_one:
        folder, calls = next(iter(taken)).resolve().parent, [path.name for path in taken]
    else:
        folder = options.place.resolve().parent
        calls = [f"-m {options.place.resolve().name}.{script}" for script in scripts]
    print(_("To be run in the folder {folder}:").format(folder=folder))
    for call in calls:
        print(f"    python {call} --help")
    return 0


def package(scripts: tuple[str, ...], folder: Path) -> dict[Path, bytes]:
    """Return the files of these scripts and of the modules that they import, as a package."""
    _importable(folder, folder.resolve().name)
    return {folder / name: (SOURCE / name).read_bytes() for name in needed(scripts)}


def single(scripts: tuple[str, ...], place: Path) -> dict[Path, bytes]:
    """Return each of these scripts as one file: FILE.py, where that is the place, or named after the script."""
    if "diagnose" in scripts:
        raise LabError(
            _(
                "`diagnose` cannot be one file, since it tells its own lines from yours by the folder that they are in. "
                "Take it as a folder, without `--single`; your program imports nothing of it."
            )
        )
    named = place.suffix == ".py"
    paths = {place if named else place / f"{script}.py": script for script in scripts}
    for path in paths:
        _importable(path, path.stem)
    return {path: merged(SOURCE, script).encode() for path, script in paths.items()}


def _importable(path: Path, name: str) -> None:
    if not name.isidentifier() or keyword.iskeyword(name):
        raise LabError(
            _(
                "{path}: Python cannot import what has this name. Use letters, digits and underscores, a letter first, and no word of Python's own."
            ).format(path=path)
        )


def write(taken: dict[Path, bytes], place: Path, *, force: bool = False) -> list[Path]:
    """Write these files, and return those that were not there as they should be.

    Raises LabError where a file there has other contents (``force`` writes over it).
    """
    texts = {path: text for path, text in taken.items() if not path.is_file() or path.read_bytes() != text}
    others = [str(path) for path in texts if path.exists()]
    if others and not force:
        raise LabError(
            _(
                "Files with other contents are there already: {files}. Choose another place. Where these are an older state of the scripts, `--force` writes over them."
            ).format(files=", ".join(others))
        )
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
    except OSError as error:
        raise unwritable(place, error) from None
    return list(texts)


def unwritable(folder: Path, error: OSError) -> LabError:
    """Return the error for a folder in which nothing can be written, such as one that is a file."""
    text = _("Nothing can be written in {folder}: {error}. Choose another folder.")
    return LabError(text.format(folder=folder, error=error.strerror))


def needed(scripts: tuple[str, ...]) -> list[str]:
    """Return the files of `loaderlab/scripts` that these import, directly or not, and their own: names from that folder on."""
    found: set[Path] = set()
    ahead = [SOURCE / "__init__.py", *(SOURCE / f"{script}.py" for script in scripts)]
    while ahead:
        path = ahead.pop()
        if (
            path in found or not path.is_file()
        ):  # a name that a module imports from its package may be no module
            continue
        found.add(path)
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
                ahead += [base.with_suffix(".py"), base / "__init__.py"]
                ahead += [base / f"{alias.name}.py" for alias in node.names]
    return sorted(path.relative_to(SOURCE).as_posix() for path in found)
