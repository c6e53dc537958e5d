"""Feed the GPU: PyTorch data loading, hands on. This is what the notebooks import as ``lab``.

Everything is imported at first use, so that ``import loaderlab`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# name in a notebook -> (module, attribute); no attribute: the module itself
_SURFACE: dict[str, tuple[str, str | None]] = {
    "begin": ("notebook.session", "begin"),
    "explore": ("notebook.session", "explore"),
    "predict": ("notebook.field", "predict"),
    "compare": ("notebook.comparison", "compare"),
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
    "curves": ("notebook.figures", "curves"),
    "rates": ("notebook.figures", "rates"),
    "strip": ("notebook.figures", "strip"),
    "table": ("notebook.figures", "table"),
    "tracks": ("notebook.figures", "tracks"),
    "child": ("measuring.child", None),
    "data": ("data", None),
    "machine": ("measuring.machine", None),
    "keeping": ("measuring.iterating", "keeping"),
    "measure": ("measuring.measure", None),
    "memory": ("measuring.memory", None),
    "pinning": ("measuring.pinning", None),
    "LabError": ("i18n.errors", "LabError"),
}

__all__ = [*_SURFACE, "scratch"]  # noqa: PLE0604 (the keys are strings)


def __getattr__(name: str) -> Any:
    if name == "scratch":
        return importlib.import_module("loaderlab.notebook.session").scratch()
    if name not in _SURFACE:
        raise AttributeError(f"module 'loaderlab' has no attribute {name!r}")
    module, attribute = _SURFACE[name]
    found = importlib.import_module(f"loaderlab.{module}")
    return found if attribute is None else getattr(found, attribute)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
