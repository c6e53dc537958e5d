"""Other libraries: `streamers` has a function for each; those that are installed run, each in a process of its own.

In the child process, this file counts the samples that one function delivers.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from loaderlab.i18n.language import translate as _
from loaderlab.lessons.webdataset import library, streamers
from loaderlab.measuring import child

# The module, which names the function too, and the package that `pip` installs.
PACKAGES = {"spdl": "spdl-core", "litdata": "litdata", "streaming": "mosaicml-streaming"}


def run(folder: Path, timeout: float = 60) -> list[dict[str, str]]:
    """Return for each library its version, and how many samples its function delivered, and how many different ones."""
    rows = []
    for module, package in PACKAGES.items():
        version, outcome = library.installed(package, module), f"pip install {package}"
        if version:
            ran = child.run(Path(__file__), module, str(folder), timeout=timeout)
            if ran.timed_out:
                outcome = _("the time limit was reached")
            else:
                lines = (ran.errors if ran.status else ran.output).strip().splitlines()
                outcome = lines[-1] if lines else ""
        rows.append({"library": package, "version": version or "not installed", "outcome": outcome})
    return rows


def main(function: str, folder: str) -> None:
    # Before it is imported: LitData asks PyPI for a newer version, and keeps folders in /tmp, unless it is told not to.
    os.environ["LITDATA_DISABLE_VERSION_CHECK"] = "1"
    for variable in ("DATA_OPTIMIZER_CACHE_FOLDER", "DATA_OPTIMIZER_DATA_CACHE_FOLDER"):
        os.environ[variable] = tempfile.mkdtemp()
    numbers = list(getattr(streamers, function)(Path(folder)))
    print(len(numbers), len(set(numbers)))


if __name__ == "__main__":
    del sys.path[0]  # this folder: its `data` and `images` are not to be found as top-level modules
    main(*sys.argv[1:])
