"""A benchmark runs live where the machine can, and otherwise shows what another, named machine measured.

A recording is one JSON file: rows, device, host, versions, date. It is only ever written by a live run, and
carries the names of the device that the run was on, and of the processor beside it, since what a loop reaches is often the host's.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from loaderlab.course import Lesson
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import machine
from loaderlab.measuring.attempts import noted, reason
from loaderlab.measuring.others import Others
from loaderlab.measuring.patience import saying
from loaderlab.measuring.soundness import Circumstances
from loaderlab.notebook import session

RECORD = "LOADERLAB_RECORD"  # environment variable: the folder into which live runs are written
SCHEMA = 1
DIGITS = 4  # of a number in a recording
_FIELDS = {
    "schema": int,
    "lesson": str,
    "benchmark": str,
    "arguments": dict,
    "requires": dict,
    "device": str,
    "versions": dict,
    "date": str,
    "rows": list,
}


class Unable(LabError):
    """An error that a benchmark raises when, as it runs, it finds that this machine lacks something; the message says what."""


@dataclass(frozen=True)
class Result:
    """Rows of a benchmark, and where they come from; no rows where it could neither run nor be replayed.

    ``host``: the processor beside a GPU (:func:`host`), ``torch``: its version; both "" where a recording does not say.
    ``left_out``: the errors of ways that failed, by their names; "" is the benchmark itself, which ended early.
    """

    benchmark: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    live: bool = True
    device: str = ""
    date: str = ""
    host: Mapping[str, Any] = field(default_factory=dict)
    torch: str = ""
    note: str = ""
    circumstances: Circumstances = field(default_factory=Circumstances)
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def stamp(self) -> str:
        """One line for every picture: measured here, or recorded where and when."""
        if self.note:
            return self.note
        if self.live:
            return _("measured here: {device}").format(device=machine.described(self.device))
        known = [self._hardware, self._host, self._software]
        return _("recorded on {device}, {date}").format(
            device=" · ".join(filter(None, known)), date=self.date
        )

    @property
    def _hardware(self) -> str:
        """The device; empty where it is the host itself."""
        return "" if self.host.get("name") == self.device else machine.described(self.device)

    @property
    def _host(self) -> str:
        """The processor with its cores, as far as it is known."""
        return machine.described(self.host["name"], self.host["virtual"]) if self.host else ""

    @property
    def _software(self) -> str:
        """The version of torch without its patch and its build."""
        return f"torch {'.'.join(self.torch.split('.')[:2])}" if self.torch else ""

    def where(self, **values: Any) -> Result:
        """Return the same result with those rows only that have these values in these columns."""
        rows = [row for row in self.rows if values.items() <= row.items()]
        return replace(self, rows=rows)

    def __repr__(self) -> str:
        return self.stamp


def benchmark(
    function: Callable[..., Iterable[Mapping[str, Any]]],
    *,
    requires: Mapping[str, float] | None = None,
    **arguments: Any,
) -> Result:
    """Run ``function(**arguments)``, which yields rows of plain values, or replay its newest recording.

    ``requires`` names what the run needs: ``{"cuda": 1}`` (GPUs), ``{"cores": 4}``. Where that is
    missing, the newest recording is returned; where there is none, a result without rows that says so. The same
    holds for a function that raises :class:`Unable`. A way that fails (:func:`~loaderlab.measuring.attempts.attempt`)
    costs no rows but its own: the notebook says which, and why. Where nothing at all was measured, the first error is raised.
    """
    requires = dict(requires or {})
    lesson = session.current().lesson
    missing = {need: amount for need, amount in requires.items() if _have(need) < amount}
    if missing:
        return _replay(lesson, function.__name__, arguments, _lacking(missing))
    others = Others()
    rows: list[dict[str, Any]] = []
    with noted() as failed:
        try:
            with saying(_("Measuring: {name} takes some seconds.").format(name=function.__name__)):
                rows.extend(_plain(function.__name__, row) for row in function(**arguments))
            if failed and not rows:
                raise next(iter(failed.values()))
        except Unable as lack:
            return _replay(lesson, function.__name__, arguments, str(lack))
        except LabError:
            raise
        except Exception as error:
            if not rows:
                raise
            failed[""] = error
    left_out = {way: reason(error) for way, error in failed.items()}
    now = Circumstances(others.cores(), machine.usable_cores(), _threads())
    device = machine.device_name("cuda" if "cuda" in requires or arguments.get("device") == "cuda" else "cpu")
    if requires and os.environ.get(RECORD):
        folder = Path(os.environ[RECORD])
        write(folder, lesson.name, function.__name__, arguments, requires, device, rows, left_out=left_out)
    return _told(
        Result(function.__name__, rows, device=device, date=_today(), circumstances=now, left_out=left_out)
    )


def _told(result: Result) -> Result:
    """Return the result, after the notebook has said which ways are missing from it."""
    for way, error in result.left_out.items():
        words = (
            _("{way} failed ({error}), and what was not measured by then is missing.")
            if way
            else _("The benchmark {name} ended early: {error}")
        ).format(way=way, name=result.benchmark, error=error)
        print(words)
    return result


def write(
    folder: Path,
    lesson: str,
    name: str,
    arguments: Mapping[str, Any],
    requires: Mapping[str, float],
    device: str,
    rows: list[dict[str, Any]],
    *,
    versions: Mapping[str, str] | None = None,
    left_out: Mapping[str, str] | None = None,
) -> Path:
    """Store the rows of a live run; returns the file. The newest recording of a device replaces its older ones.

    ``versions``: those of other packages that were measured; ``left_out``: the errors of ways that failed, by name.
    """
    import numpy
    import torch

    recording = {
        "schema": SCHEMA,
        "lesson": lesson,
        "benchmark": name,
        "arguments": dict(arguments),
        "requires": dict(requires),
        "device": device,
        "host": host(),
        "versions": {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "cuda": torch.version.cuda,
            "numpy": numpy.__version__,
            **(versions or {}),
        },
        "date": _today(),
        "rows": [{column: _measured(value) for column, value in row.items()} for row in rows],
        **({"left_out": dict(left_out)} if left_out else {}),
    }
    path = folder / f"{_slug(name, *map(str, arguments.values()), device)}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(recording, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def host() -> dict[str, Any]:
    """Return what a recording says of this machine: its processor with the usable cores, and whether these are a virtual machine's."""
    return {"name": machine.device_name("cpu"), "virtual": machine.is_virtual()}


def _measured(value: Any) -> Any:
    """Return a number in so many digits; further ones say nothing, and make the package larger."""
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def newest(name: str) -> Result:
    """Return the newest recording of this lesson by that name, whatever its arguments; a result without rows where there is none."""
    note = _("There is no recording of {name} yet.").format(name=name)
    return _replay(session.current().lesson, name, None, note)


def read(path: Path) -> dict[str, Any]:
    """Read a recording; raises :class:`LabError` where the file is not one."""
    try:
        recording = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LabError(
            _("The recording {path} cannot be read ({error}). Record it again, or delete it.").format(
                path=path, error=error
            )
        ) from error
    good = isinstance(recording, dict) and all(
        isinstance(recording.get(key), kind) for key, kind in _FIELDS.items()
    )
    if not good or recording["schema"] != SCHEMA:
        raise LabError(
            _(
                "{path} is not a recording of schema {schema}: it needs the fields {fields}. Record it again."
            ).format(path=path, schema=SCHEMA, fields=", ".join(_FIELDS))
        )
    return recording


def _replay(lesson: Lesson, name: str, arguments: Mapping[str, Any] | None, note: str) -> Result:
    """Return the newest recording with these arguments (None: with any), or a result without rows that has this note."""
    wanted = json.loads(json.dumps(arguments, default=repr))  # as they are stored: JSON has no tuples
    found = [
        recording
        for recording in map(read, lesson.recordings)
        if recording["benchmark"] == name and wanted in (None, recording["arguments"])
    ]
    if not found:
        return Result(name, live=False, note=note)
    last = max(found, key=lambda recording: recording["date"])
    return _told(
        Result(
            name,
            last["rows"],
            live=False,
            device=last["device"],
            date=last["date"],
            host=last.get("host", {}),  # the older ones do not say
            torch=last["versions"].get("torch", ""),
            left_out=last.get("left_out", {}),
        )
    )


def _lacking(missing: Mapping[str, float]) -> str:
    words = {
        "cuda": _("at least {count} GPU with CUDA"),
        "cores": _("at least {count} processor cores"),
    }
    needs = _(" and ").join(words[need].format(count=f"{amount:g}") for need, amount in missing.items())
    note = _(
        "Not run: this benchmark needs {needs}. This machine does not have that, and no result has been recorded yet."
    )
    return note.format(needs=needs)


def _threads() -> int:
    import torch

    return torch.get_num_threads()


def _have(need: str) -> float:
    import torch

    have = {"cuda": torch.cuda.device_count, "cores": machine.usable_cores}
    if need not in have:
        raise LabError(
            _("A benchmark cannot require {need!r}. It can require: {known}.").format(
                need=need, known=", ".join(have)
            )
        )
    return have[need]()


def _plain(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    for column, value in row.items():
        if not isinstance(value, str | int | float | bool | None):
            raise LabError(
                _(
                    "The benchmark {name} yields a {column} of type {kind}. A row holds plain numbers and strings only."
                ).format(name=name, column=column, kind=type(value).__name__)
            )
    return dict(row)


def _slug(*parts: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", " ".join(parts).lower()).strip("-")


def _today() -> str:
    return datetime.date.today().isoformat()
