"""Feed the GPU: PyTorch data loading, hands on. This is what the notebooks import as ``lab``.

Everything is imported at first use, so that ``import loaderlab`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# name in a notebook -> (module, attribute); no attribute: the module itself
_SURFACE: dict[str, tuple[str, str | None]] = {
    "begin": ("session", "begin"),
    "explore": ("session", "explore"),
    "check": ("session", "check"),
    "hint": ("session", "hint"),
    "score": ("session", "score"),
    "benchmark": ("recordings", "benchmark"),
    "recorded": ("recordings", "newest"),
    "diagram": ("diagrams", "diagram"),
    "curves": ("figures", "curves"),
    "rates": ("figures", "rates"),
    "strip": ("figures", "strip"),
    "table": ("figures", "table"),
    "tracks": ("figures", "tracks"),
    "child": ("child", None),
    "data": ("data", None),
    "machine": ("machine", None),
    "measure": ("measure", None),
    "memory": ("memory", None),
    "LabError": ("errors", "LabError"),
}

__all__ = [*_SURFACE, "scratch"]


def __getattr__(name: str) -> Any:
    if name == "scratch":
        return importlib.import_module("loaderlab.session").scratch()
    if name not in _SURFACE:
        raise AttributeError(f"module 'loaderlab' has no attribute {name!r}")
    module, attribute = _SURFACE[name]
    found = importlib.import_module(f"loaderlab.{module}")
    return found if attribute is None else getattr(found, attribute)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
