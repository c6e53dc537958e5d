"""`loaderlab take`: a script of `loaderlab/scripts`, with what it needs, written into a project of the learner's."""

from __future__ import annotations

import argparse
import ast
import keyword
from pathlib import Path

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _

SCRIPTS = ("efficient_dataloader", "distributed_sampler", "webdataset_loader", "diagnose")
SOURCE = Path(__file__).parent / "scripts"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `loaderlab take`."""
    parser.add_argument("script", choices=(*SCRIPTS, "all"), help="which script")
    parser.add_argument("folder", type=Path, help="where it goes: a folder, new or not, in your project")
    parser.add_argument(
        "--force", action="store_true", help="write over files there that have other contents"
    )


def run(options: argparse.Namespace) -> int:
    """Write the files, and say how the script is called there."""
    scripts = SCRIPTS if options.script == "all" else (options.script,)
    for path in take(scripts, options.folder, force=options.force):
        print(path)
    folder = options.folder.resolve()
    print(_("To be run in the folder {folder}:").format(folder=folder.parent))
    for script in scripts:
        print(f"    python -m {folder.name}.{script} --help")
    return 0


def take(scripts: tuple[str, ...], folder: Path, *, force: bool = False) -> list[Path]:
    """Write these scripts and the modules that they import into ``folder``, as a package; returns what was written.

    Raises LabError where the folder's name is none for a package, or where a file there has other contents
    (``force`` writes over it). Files that are there already as they should be are left alone.
    """
    name = folder.resolve().name
    if not name.isidentifier() or keyword.iskeyword(name):
        raise LabError(
            _(
                "{folder}: Python cannot import a folder of this name. Use letters, digits and underscores, a letter first, and no word of Python's own."
            ).format(folder=folder)
        )
    texts = {folder / name: (SOURCE / name).read_bytes() for name in needed(scripts)}
    texts = {path: text for path, text in texts.items() if not path.is_file() or path.read_bytes() != text}
    others = [str(path) for path in texts if path.exists()]
    if others and not force:
        raise LabError(
            _(
                "Files with other contents are there already: {files}. Choose another folder, or write over them with `--force`."
            ).format(files=", ".join(others))
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text)
    except OSError as error:
        raise unwritable(folder, error) from None
    return list(texts)


def unwritable(folder: Path, error: OSError) -> LabError:
    """Return the error for a folder in which nothing can be written, such as one that is a file."""
    return LabError(
        _("Nothing can be written in {folder}: {error}. Choose another folder.").format(
            folder=folder, error=error.strerror
        )
    )


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
