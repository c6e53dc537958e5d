"""Runs in a child process: counts the opens and the reads of one function. Prints one line of JSON."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path

from loaderlab.lessons.webdataset.disk import _io


def main(module: str, function: str, folder: str) -> None:
    spec = importlib.util.spec_from_file_location("reading", module)
    assert spec and spec.loader
    reading = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reading)
    call = getattr(reading, function)
    call(Path(folder, "none"))  # imports what it needs; there is nothing to read yet
    place, opened = os.path.abspath(folder), 0

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal opened
        if event == "open" and isinstance(arguments[0], str | os.PathLike):
            opened += os.path.abspath(arguments[0]).startswith(place)

    before = _io("syscr")
    sys.addaudithook(hook)  # sees every open() and os.open() of this process; it cannot be removed again
    samples = sum(1 for sample in call(Path(folder)))
    found = {"samples": samples, "opens": opened}
    after = _io("syscr")
    if before is not None and after is not None:
        found["reads"] = after - before
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
