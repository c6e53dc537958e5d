"""The entry of one machine of a class: one line of JSON that can be collected from a chat or a file."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from loaderlab.i18n.language import mark
from loaderlab.i18n.language import translate as _
from loaderlab.measuring.machine import Machine
from loaderlab.teaching.plain_text import brief

SCHEMA = 2
_MARK = '"loaderlab-doctor"'
_BEGIN = re.compile(r"\{\s*" + _MARK)
# Chats and word processors put other quotation marks, and spaces that JSON does not know.
_TYPED = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "\u00a0": " ", "\ufeff": " "})
_LARGEST = 2**60  # bytes, or anything else that is counted


@dataclass(frozen=True)
class Entry:
    """A machine of the class; ``id`` tells equal machines apart, and says nothing else of them."""

    id: str
    name: str
    machine: Machine
    packages: Mapping[str, str]


class Unfit(ValueError):
    """A line that no doctor wrote."""


def line(machine: Machine, packages: Mapping[str, str], name: str = "") -> str:
    """Return one line of plain ASCII, for a terminal in any encoding. No name of a user or host, unless ``name`` is one."""
    facts = {"loaderlab-doctor": SCHEMA, "id": secrets.token_hex(4), "name": name}
    return json.dumps(facts | {"machine": asdict(machine), "packages": dict(packages)})


def entries(text: str, file: str) -> Iterator[Entry | str]:
    """Yield every entry in a text, whatever stands around it; for one that cannot be read, a sentence with file and line."""
    text = text.translate(_TYPED)
    decoder = json.JSONDecoder(strict=False)  # a mail program may have broken a long line
    end = 0
    for found in _BEGIN.finditer(text):
        if found.start() < end:
            continue
        try:
            content, end = decoder.raw_decode(text, found.start())
            yield _entry(content)
        except (ValueError, RecursionError) as error:
            end = found.end()
            why = _(str(error)) if isinstance(error, Unfit) else _("it is cut off or damaged")
            yield _("{file}, line {n}, was not read: {why}. Ask for that line again.").format(
                file=brief(file), n=text.count("\n", 0, found.start()) + 1, why=why
            )


def _entry(content: Any) -> Entry:
    if content.get("loaderlab-doctor") != SCHEMA:
        raise Unfit(mark("it is of another version of the course"))
    machine, packages = content.get("machine"), content.get("packages")
    if not isinstance(machine, dict) or not isinstance(packages, dict):
        raise Unfit(mark("its machine or its packages are missing"))
    if {field.name for field in fields(Machine)} - set(machine):
        raise Unfit(mark("facts about the machine are missing"))
    if not (identity := brief(content.get("id") or "", 20)):
        raise Unfit(mark("it has no id"))
    return Entry(
        identity,
        brief(content.get("name") or "", 40),
        Machine(
            cores=_number(machine["cores"], 1e5),
            logical_cores=int(_number(machine["logical_cores"], 1e5)),
            ram=int(_number(machine["ram"])),
            shm=_or_none(machine["shm"]),
            temporary=int(_number(machine["temporary"])),
            open_files=_or_none(machine["open_files"]),
            start_method=brief(machine["start_method"], 20),
            start_methods=_words(machine["start_methods"], 20),
            gpus=_words(machine["gpus"], 60),
            system=brief(machine["system"], 40),
            python=brief(machine["python"], 20),
            torch=brief(machine["torch"], 40),
            libuv=bool(machine["libuv"]),
        ),
        {brief(name, 40): brief(version, 40) for name, version in list(packages.items())[:20]},
    )


def _number(value: Any, most: float = _LARGEST) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise Unfit(mark("it has impossible numbers"))
    return value


def _or_none(value: Any) -> int | None:
    return None if value is None else int(_number(value))


def _words(value: Any, most: int) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise Unfit(mark("facts about the machine are missing"))
    return tuple(brief(word, most) for word in value[:16])
