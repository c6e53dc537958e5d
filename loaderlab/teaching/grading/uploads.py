"""The files that were handed in: from paths, folders and zip files, one after the other, never unpacked to disk."""

from __future__ import annotations

import contextlib
import io
import os
import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import spoken
from loaderlab.i18n.language import translate as _

MIB = 1024**2
FILE_LIMIT = 20 * MIB  # of a notebook
ZIP_LIMIT = 512 * MIB  # of all that is taken out of one zip file, and of a zip file in it
MEMBER_LIMIT = 5000
INNER_LIMIT = 200  # of a zip file that one person handed in
ABOVE = 4  # last parts of a path that was given that may tell of a person
LONGEST = 1000  # characters of a name; no file system has such long ones
_EXPORTS = (".html", ".htm", ".py", ".pdf", ".md", ".rst", ".asciidoc", ".tex", ".docx", ".doc", ".odt")


@dataclass(frozen=True)
class Handed:
    """One file. ``parts``: folders and file name, the first ``root`` of them from the path that was given.

    A zip file counts as a folder. ``file`` names it to the instructor. ``problem`` says why ``content`` could not be
    read; then it is empty. ``changed``: when the file was changed, in seconds since 1970; 0 where that is not known.
    """

    file: str
    parts: tuple[str, ...]
    root: int
    content: bytes = b""
    problem: str = ""
    changed: float = 0.0


def files(paths: Sequence[Path], leave: Collection[Path] = ()) -> Iterator[Handed]:
    """Yield every file at these paths, hidden ones and those in ``leave`` left out, each once.

    Raises :class:`LabError` where there is nothing at a path.
    """
    for path in paths:
        if not os.path.exists(path):  # no error for a name that no file can have
            raise LabError(
                _("There is no {path}. Expected: notebooks, folders or zip files. Check the path.").format(
                    path=path
                )
            )
    seen = {path.resolve() for path in leave}
    folders = {_whole(path) for path in paths if path.is_dir()}
    for path in paths:
        for file in _walk(path) if path.is_dir() else [path]:
            inner = file.relative_to(path).parts
            above = _above(path, folders) if inner else _whole(path)[-min(max(2, len(path.parts)), ABOVE) :]
            parts, root = (*above, *inner), len(above) - (not inner and path.suffix.lower() != ".zip")
            named = Handed(str(file), parts, root)
            # A link in a folder is somebody's claim to a file that may be another's: it is named, and not followed.
            if inner and file.is_symlink():
                yield replace(named, problem=_("This is a link. Ask for the file itself."))
            elif file.resolve() not in seen:
                seen.add(file.resolve())
                yield from _read(file, named)


def _whole(path: Path) -> tuple[str, ...]:
    return Path(os.path.abspath(path)).parts


def _above(folder: Path, folders: Collection[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the last parts of a folder that was given: one, or so many that no other one of the ``folders`` ends in them."""
    whole = _whole(folder)
    others = [other for other in folders if other != whole]
    count = next((n for n in range(1, len(whole)) if all(other[-n:] != whole[-n:] for other in others)), 1)
    return whole[-count:]


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder, and its links to folders."""
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _hidden(name))
        links = [name for name in folders if Path(here, name).is_symlink()]
        yield from (Path(here, name) for name in sorted([*names, *links]) if not _hidden(name))


def _hidden(name: str) -> bool:
    return name.startswith(".") or name == "__MACOSX"


def _read(path: Path, named: Handed) -> Iterator[Handed]:
    suffix = path.suffix.lower()
    if not path.is_file():  # opening a pipe would wait for ever
        yield replace(named, problem=_("This is no ordinary file."))
    elif suffix not in (".ipynb", ".zip"):
        yield replace(named, problem=_other(suffix))
    else:
        try:
            with path.open("rb") as stream:
                if suffix == ".zip":
                    yield from _unzip(stream, named, nested=False)
                else:
                    yield replace(_taken(stream, named), changed=os.fstat(stream.fileno()).st_mtime)
        except OSError as error:
            problem = _("It cannot be read: {error}. Check its permissions.").format(error=error.strerror)
            yield replace(named, problem=problem)


def _taken(stream: IO[bytes], named: Handed) -> Handed:
    """Return the content of a notebook, read no further than the limit: sizes that a zip file declares may be false."""
    content = stream.read(FILE_LIMIT + 1)
    if len(content) > FILE_LIMIT:
        problem = _(
            "It is larger than {limit} MiB. Expected: a notebook. Ask for it again, with outputs cleared."
        )
        return replace(named, problem=problem.format(limit=FILE_LIMIT // MIB))
    return replace(named, content=content)


def _unzip(stream: IO[bytes], named: Handed, nested: bool) -> Iterator[Handed]:
    """Yield what a zip file holds; zip files in it are opened, those in them are not."""
    try:
        with zipfile.ZipFile(stream) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            limit = INNER_LIMIT if nested else MEMBER_LIMIT
            if len(members) > limit:
                raise zipfile.BadZipFile(_("more than {limit} files").format(limit=limit))
            left = ZIP_LIMIT
            for member in members:
                parts = (part for part in _name(member).split("/") if part not in ("", ".", ".."))
                inner = tuple(part[:LONGEST] for part in parts)
                if not inner or any(map(_hidden, inner)):
                    continue
                each = replace(named, file="/".join((named.file, *inner)), parts=(*named.parts, *inner))
                for found in _member(archive, member, each, nested):
                    left -= len(found.content)
                    yield found
                if left < 0:
                    problem = _(
                        "Only its first {limit} MiB were read. Unpack this zip file, and give its folder instead."
                    )
                    yield replace(named, problem=problem.format(limit=ZIP_LIMIT // MIB))
                    return
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError) as error:
        problem = _("This zip file cannot be read: {error}. Unpack it, and give its folder instead.")
        yield replace(named, problem=problem.format(error=error))


def _member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, named: Handed, nested: bool
) -> Iterator[Handed]:
    suffix = PurePosixPath(named.parts[-1]).suffix.lower()
    problem = ""
    if suffix not in (".ipynb", ".zip"):
        problem = _other(suffix)
    elif suffix == ".zip" and nested:
        problem = _("This zip file is too deep inside others. Unpack it, and grade its folder.")
    elif member.flag_bits & 1:
        problem = _("It is encrypted. Ask for it again, without a password.")
    if problem:
        yield replace(named, problem=problem)
        return
    try:
        with archive.open(member) as stream:
            if suffix == ".ipynb":
                yield replace(_taken(stream, named), changed=_changed(member))
                return
            content = stream.read(ZIP_LIMIT // 4 + 1)
    except (RuntimeError, NotImplementedError, zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        # NotImplementedError: packed in a way that Python does not know
        problem = _(
            "This file cannot be taken out of its zip file: {error}. Unpack the zip file, and give its folder instead."
        )
        yield replace(named, problem=problem.format(error=error))
        return
    if len(content) > ZIP_LIMIT // 4:
        yield replace(named, problem=_("It is too large. Unpack it, and give its folder instead."))
    else:
        yield from _unzip(io.BytesIO(content), named, nested=True)


def _changed(member: zipfile.ZipInfo) -> float:
    """Zip files have the time of day where they were made; 0 for a day that no calendar has."""
    try:
        return datetime(*member.date_time).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def _name(member: zipfile.ZipInfo) -> str:
    """Return the member's path; macOS writes UTF-8 without saying so, and Windows its old code page, and perhaps backslashes."""
    name = member.filename
    if not member.flag_bits & 0x800:
        raw = name.encode("cp437", "replace")  # what zipfile took it for
        for encoding in ("utf-8", spoken().zip_encoding):
            with contextlib.suppress(UnicodeError):
                name = raw.decode(encoding)
                break
    return name.replace("\\", "/")


def _other(suffix: str) -> str:
    if suffix in _EXPORTS:
        return _(
            "This is an export of a notebook ({suffix}). Ask for the file whose name ends in .ipynb."
        ).format(suffix=suffix)
    if suffix in (".rar", ".7z", ".tar", ".gz", ".tgz", ".xz"):
        return _("This is an archive that is not opened ({suffix}). Unpack it, and give its folder.").format(
            suffix=suffix
        )
    return _("This is no notebook. Expected: a file whose name ends in .ipynb, or a zip file of them.")
