"""A table that somebody made with a spreadsheet or another system: CSV, whatever its encoding and separator."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import spoken
from loaderlab.i18n.language import translate as _
from loaderlab.teaching.plain_text import clean

LARGEST = 5 * 1024**2  # bytes
SEPARATORS = ";\t,"


class Row(NamedTuple):
    """The fields of one row, and the line of the file on which it begins, from 1."""

    line: int
    fields: list[str]


class Table(NamedTuple):
    """A file as it stands: all that is needed to write the same again with other fields."""

    encoding: str
    separator: str
    newline: str
    rows: list[Row]

    def content(self) -> bytes:
        """Return the content of the file, as bytes to be written."""
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=self.separator, lineterminator=self.newline).writerows(
            row.fields for row in self.rows
        )
        return text.getvalue().encode(self.encoding)


def read(path: Path) -> tuple[str, list[Row]]:
    """Return the separator, and all rows that are not empty, each field on one line; raises :class:`LabError`."""
    table = whole(path, otherwise=spoken().csv_encoding)
    cleaned = [Row(row.line, [clean(field) for field in row.fields]) for row in table.rows]
    return table.separator, [row for row in cleaned if any(row.fields)]


def whole(path: Path, otherwise: str = "") -> Table:
    """Return the file with every field as it is; raises :class:`LabError` where it cannot be read.

    ``otherwise``: the encoding of what is not Unicode; without it, that cannot be read.
    """
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise LabError(
            _("{path} cannot be read: {error}. Expected: a text file, such as CSV. Check the path.").format(
                path=path, error=error.strerror
            )
        ) from None
    if len(content) > LARGEST:
        raise LabError(
            _("{path} is larger than {mib} MiB. Expected: the table of a class. Check the path.").format(
                path=path, mib=LARGEST // 1024**2
            )
        )
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    encoding = "utf-8-sig" if content.startswith(b"\xef\xbb\xbf") else encoding
    try:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            if not otherwise:
                raise
            text = content.decode(otherwise, "replace")
        first = text.partition("\n")[0]
        separator = max(SEPARATORS, key=first.count)
        newline = "\r\n" if first.endswith("\r") else "\n"
        return Table(encoding, separator, newline, list(_rows(text, separator)))
    except (csv.Error, UnicodeDecodeError) as error:
        raise LabError(
            _("{path} is no table: {error}. Expected: CSV in UTF-8, as it was exported.").format(
                path=path, error=error
            )
        ) from None


def _rows(text: str, separator: str) -> Iterator[Row]:
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    begin = 1
    for fields in lines:
        yield Row(begin, fields)
        begin = lines.line_num + 1
