"""Transcripts: the output of a script where it could run, as JSON for where it cannot; never without versions, system, date.

A transcript is only ever written by a real run, when an author asks for it with ``LOADERLAB_TRANSCRIPTS=1``.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loaderlab.i18n.language import translate as _

_WANTED = "LOADERLAB_TRANSCRIPTS"


@dataclass(frozen=True)
class Transcript:
    """The record of a run (``kept``), and one line that says where it is from (``stamp``)."""

    kept: dict[str, Any]
    stamp: str


def wanted() -> bool:
    """Return whether real runs are to be written down."""
    return bool(os.environ.get(_WANTED))


def write(path: Path, kept: Mapping[str, Any]) -> None:
    """Write down what a real run said, as plain values, with what it ran on."""
    import torch

    facts = {
        "torch": torch.__version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "date": datetime.date.today().isoformat(),
    }
    path.write_text(json.dumps(facts | dict(kept), indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> Transcript | None:
    """Return the transcript in a file; None where there is none."""
    if not path.is_file():
        return None
    kept = json.loads(path.read_text(encoding="utf-8"))
    stamp = _("recorded with PyTorch {torch} on {system}, {date}").format(
        torch=kept.pop("torch"), system=kept.pop("system"), date=kept.pop("date")
    )
    del kept["python"]
    return Transcript(kept, stamp)
