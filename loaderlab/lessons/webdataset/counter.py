"""Runs in a child process: counts what functions deliver, the files they open, and their reads. Prints JSON."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path

from loaderlab.lessons.webdataset import library
from loaderlab.lessons.webdataset.disk import io_counter


def main(module: str, folder: str, *functions: str) -> None:
    spec = importlib.util.spec_from_file_location("reading", module)
    assert spec and spec.loader
    reading = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reading)
    place, opened = os.path.abspath(folder), 0

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal opened
        if event == "open" and isinstance(arguments[0], str | os.PathLike):
            opened += os.path.abspath(arguments[0]).startswith(place)

    sys.addaudithook(hook)  # sees every open() and os.open() of this process; it cannot be removed again
    found = {}
    library.find()  # its import reads, too
    for function in functions:
        opened, before = 0, io_counter("syscr")
        found[function] = {"pieces": sum(1 for piece in getattr(reading, function)(Path(folder))), "opens": 0}
        after = io_counter("syscr")
        found[function]["opens"] = opened
        if before is not None and after is not None:
            found[function]["reads"] = after - before
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
