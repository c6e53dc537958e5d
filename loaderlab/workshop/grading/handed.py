"""The files that were handed in: from paths, folders and zip files, one after the other, never unpacked to disk."""

from __future__ import annotations

import contextlib
import io
import os
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from loaderlab.errors import LabError
from loaderlab.language import translate as _

MIB = 1024**2
FILE_LIMIT = 20 * MIB  # of a notebook
ZIP_LIMIT = 512 * MIB  # of all that is taken out of one zip file, and of a zip file in it
MEMBER_LIMIT = 5000


@dataclass(frozen=True)
class Handed:
    """One file. ``parts``: folders and file name, from the path that was given on; a zip file counts as a folder.

    ``file`` names it to the instructor. ``problem`` says why ``content`` could not be read; then it is empty.
    """

    file: str
    parts: tuple[str, ...]
    content: bytes = b""
    problem: str = ""


def files(paths: Sequence[Path]) -> Iterator[Handed]:
    """Every file at these paths, hidden ones left out, each once. Raises :class:`LabError` where there is nothing."""
    for path in paths:
        if not os.path.exists(path):  # no error for a name that no file can have
            raise LabError(
                _("There is no {path}. Expected: notebooks, folders or zip files. Check the path.").format(
                    path=path
                )
            )
    seen = set()
    for path in paths:
        for file in _walk(path) if path.is_dir() else [path]:
            if file.resolve() not in seen:
                seen.add(file.resolve())
                yield from _read(file)


def _walk(folder: Path) -> Iterator[Path]:
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _hidden(name))
        yield from (Path(here, name) for name in sorted(names) if not _hidden(name))


def _hidden(name: str) -> bool:
    return name.startswith(".") or name == "__MACOSX"


def _read(path: Path) -> Iterator[Handed]:
    file, parts = str(path), path.parts if path.parent.name else (path.resolve().parent.name, path.name)
    suffix = path.suffix.lower()
    if not path.is_file():  # opening a pipe would wait for ever
        yield Handed(file, parts, problem=_("This is no ordinary file."))
    elif suffix not in (".ipynb", ".zip"):
        yield Handed(file, parts, problem=_other())
    else:
        try:
            with path.open("rb") as stream:
                if suffix == ".zip":
                    yield from _unzip(stream, file, parts, nested=False)
                else:
                    yield _taken(stream, file, parts)
        except OSError as error:
            problem = _("It cannot be read: {error}. Check its permissions.").format(error=error.strerror)
            yield Handed(file, parts, problem=problem)


def _taken(stream: io.BufferedIOBase | zipfile.ZipExtFile, file: str, parts: tuple[str, ...]) -> Handed:
    """The content of a notebook, read no further than the limit: sizes that a zip file declares may be false."""
    content = stream.read(FILE_LIMIT + 1)
    if len(content) > FILE_LIMIT:
        return Handed(
            file,
            parts,
            problem=_(
                "It is larger than {limit} MiB. Expected: a notebook. Ask for it again, with outputs cleared."
            ).format(limit=FILE_LIMIT // MIB),
        )
    return Handed(file, parts, content)


def _unzip(stream: io.IOBase, file: str, parts: tuple[str, ...], nested: bool) -> Iterator[Handed]:
    """What a zip file holds; zip files in it are opened, those in them are not."""
    try:
        with zipfile.ZipFile(stream) as archive:  # type: ignore[arg-type]
            members = [member for member in archive.infolist() if not member.is_dir()]
            if len(members) > MEMBER_LIMIT:
                raise zipfile.BadZipFile(_("more than {limit} files").format(limit=MEMBER_LIMIT))
            left = ZIP_LIMIT
            for member in members:
                inner = tuple(part for part in _name(member).split("/") if part not in ("", ".", ".."))
                if not inner or any(map(_hidden, inner)):
                    continue
                for found in _member(archive, member, "/".join((file, *inner)), (*parts, *inner), nested):
                    left -= len(found.content)
                    yield found
                if left < 0:
                    raise zipfile.BadZipFile(_("more than {limit} MiB").format(limit=ZIP_LIMIT // MIB))
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError) as error:
        problem = _("This zip file cannot be read: {error}. Unpack it, and give its folder instead.")
        yield Handed(file, parts, problem=problem.format(error=error))


def _member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, file: str, parts: tuple[str, ...], nested: bool
) -> Iterator[Handed]:
    suffix = PurePosixPath(parts[-1]).suffix.lower()
    if suffix not in (".ipynb", ".zip"):
        yield Handed(file, parts, problem=_other())
        return
    if suffix == ".zip" and nested:
        yield Handed(
            file, parts, problem=_("A zip file, too deep in others. Unpack it, and grade its folder.")
        )
        return
    try:
        with archive.open(member) as stream:
            if suffix == ".ipynb":
                yield _taken(stream, file, parts)
                return
            content = stream.read(ZIP_LIMIT // 4 + 1)
    except (RuntimeError, NotImplementedError, zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        # RuntimeError: it is encrypted; NotImplementedError: packed in a way that Python does not know
        problem = _(
            "It cannot be taken out of the zip file: {error}. Unpack that, and give its folder instead."
        )
        yield Handed(file, parts, problem=problem.format(error=error))
        return
    if len(content) > ZIP_LIMIT // 4:
        yield Handed(file, parts, problem=_("It is too large. Unpack it, and give its folder instead."))
    else:
        yield from _unzip(io.BytesIO(content), file, parts, nested=True)


def _name(member: zipfile.ZipInfo) -> str:
    """The member's path; macOS writes UTF-8 without saying so, and Windows may write backslashes."""
    name = member.filename
    if not member.flag_bits & 0x800:
        with contextlib.suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return name.replace("\\", "/")


def _other() -> str:
    return _("This is no notebook. Expected: a file whose name ends in .ipynb, or a zip file of them.")
