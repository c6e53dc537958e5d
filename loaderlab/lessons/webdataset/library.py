"""The library webdataset where it is installed; elsewhere something that says how to install it."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import sys
import warnings
from typing import Any

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _

COMMAND = "pip install webdataset"


class Missing(LabError):
    """A cell needs webdataset, which is not installed."""


class Absent:
    """A stand-in for the library that is not there: whatever is asked of it, one line says what to install."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise Missing(sentence())


def webdataset() -> Any:
    """Return the module, or its stand-in; print its version, or how to install it."""
    found = find()
    if isinstance(found, Absent):
        print(sentence())
        _explain_names()
        return found
    # A list of shards that is not shuffled is what most cells here ask for; the library recommends another.
    warnings.filterwarnings("ignore", message="WebDataset")
    print("webdataset", found.__version__)
    return found


def find() -> Any:
    """Return the module, or its stand-in, and say nothing."""
    try:
        return importlib.import_module("webdataset")
    except ImportError:
        return Absent()


def installed(package: str, module: str) -> str | None:
    """Version of a package whose module can be imported here, else None; imports nothing."""
    try:
        if importlib.util.find_spec(module) is None:
            return None
        return importlib.metadata.version(package)
    except (ImportError, ValueError):
        return None


def sentence() -> str:
    """Return the sentence that says what to do where the library is not installed."""
    return _(
        "This cell needs webdataset, which is not installed. Run `{command}`, then restart the kernel."
    ).format(command=COMMAND)


def _explain_names() -> None:
    """Say the same line of a name that an earlier cell could not set: that is no mistake of the learner's."""
    try:
        from IPython import get_ipython
    except ImportError:
        return
    shell = get_ipython()
    if shell is None:
        return
    from loaderlab.scripts.images import ImageError  # and with it NumPy

    # What a cell ends with where the library is not installed; the last is what the script to take home says.
    awaited = (NameError, Missing, ImageError)

    def handler(
        _shell: Any, _kind: type, error: BaseException, _trace: Any, tb_offset: Any = None
    ) -> list[str]:
        words = f"{error}. {sentence()}" if isinstance(error, NameError) else sentence()
        print(f"loaderlab: {words}", file=sys.stderr)
        return []

    def go_on(result: Any) -> None:
        """Let "run all" go on to the cells that need no library, now that the line is said."""
        if isinstance(result.error_in_exec, awaited):
            result.error_in_exec = None

    shell.set_custom_exc(awaited, handler)
    shell.events.register("post_run_cell", go_on)
