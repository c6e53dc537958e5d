"""Feed the GPU: PyTorch data loading, hands on. This is what the notebooks import as ``lab``.

Everything is imported at first use, so that ``import loaderlab`` costs next to nothing.

The rooms, from the top floor down: `cli`, `working_copy`, `take`, `single_file`, `teaching`, `publish`, `web`,
`peers`, `lessons`, `notebook`, `course`, `drawing`, `exercises`, `model`, `measuring`, `scripts`, `data`, `i18n`. A
room imports only those below it, and its first lines say what is in it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the same names for editors and type checkers, as ``_SURFACE`` has them
    from pathlib import Path

    from loaderlab import data as data
    from loaderlab import scripts as scripts
    from loaderlab.i18n.errors import LabError as LabError
    from loaderlab.measuring import child as child
    from loaderlab.measuring import machine as machine
    from loaderlab.measuring import measure as measure
    from loaderlab.measuring import memory as memory
    from loaderlab.measuring import pinning as pinning
    from loaderlab.measuring.attempts import attempt as attempt
    from loaderlab.measuring.iterating import keeping as keeping
    from loaderlab.notebook.bottleneck import bottleneck as bottleneck
    from loaderlab.notebook.case import case as case
    from loaderlab.notebook.change import change as change
    from loaderlab.notebook.diagrams import diagram as diagram
    from loaderlab.notebook.field import compare as compare
    from loaderlab.notebook.field import predict as predict
    from loaderlab.notebook.figures import curves as curves
    from loaderlab.notebook.figures import rates as rates
    from loaderlab.notebook.figures import strip as strip
    from loaderlab.notebook.figures import table as table
    from loaderlab.notebook.figures import tracks as tracks
    from loaderlab.notebook.postcard import postcard as postcard
    from loaderlab.notebook.progress_map import reached as reached
    from loaderlab.notebook.recordings import benchmark as benchmark
    from loaderlab.notebook.recordings import newest as recorded  # noqa: F401 (another name)
    from loaderlab.notebook.scorecard import score as score
    from loaderlab.notebook.session import begin as begin
    from loaderlab.notebook.session import check as check
    from loaderlab.notebook.session import explore as explore
    from loaderlab.notebook.session import forget as forget
    from loaderlab.notebook.session import hint as hint
    from loaderlab.scripts.diagnose import diagnose as diagnose

    scratch: Path

__version__ = "0.1.0"

# name in a notebook -> (module, attribute); no attribute: the module itself
_SURFACE: dict[str, tuple[str, str | None]] = {
    "begin": ("notebook.session", "begin"),
    "explore": ("notebook.session", "explore"),
    "predict": ("notebook.field", "predict"),
    "compare": ("notebook.field", "compare"),
    "case": ("notebook.case", "case"),
    "change": ("notebook.change", "change"),
    "check": ("notebook.session", "check"),
    "hint": ("notebook.session", "hint"),
    "score": ("notebook.scorecard", "score"),
    "forget": ("notebook.session", "forget"),
    "benchmark": ("notebook.recordings", "benchmark"),
    "recorded": ("notebook.recordings", "newest"),
    "postcard": ("notebook.postcard", "postcard"),
    "reached": ("notebook.progress_map", "reached"),
    "diagnose": ("scripts.diagnose", "diagnose"),
    "diagram": ("notebook.diagrams", "diagram"),
    "bottleneck": ("notebook.bottleneck", "bottleneck"),
    "curves": ("notebook.figures", "curves"),
    "rates": ("notebook.figures", "rates"),
    "strip": ("notebook.figures", "strip"),
    "table": ("notebook.figures", "table"),
    "tracks": ("notebook.figures", "tracks"),
    "attempt": ("measuring.attempts", "attempt"),
    "child": ("measuring.child", None),
    "data": ("data", None),
    "machine": ("measuring.machine", None),
    "keeping": ("measuring.iterating", "keeping"),
    "measure": ("measuring.measure", None),
    "memory": ("measuring.memory", None),
    "pinning": ("measuring.pinning", None),
    "scripts": ("scripts", None),
    "LabError": ("i18n.errors", "LabError"),
}

__all__ = [*_SURFACE, "scratch"]  # noqa: PLE0604 (the keys are strings)


if not TYPE_CHECKING:  # a checker that saw it would let every misspelt name pass

    def __getattr__(name: str) -> object:
        if name == "scratch":
            return importlib.import_module("loaderlab.notebook.session").scratch()
        if name not in _SURFACE:
            raise AttributeError(f"module 'loaderlab' has no attribute {name!r}")
        module, attribute = _SURFACE[name]
        found = importlib.import_module(f"loaderlab.{module}")
        return found if attribute is None else getattr(found, attribute)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
