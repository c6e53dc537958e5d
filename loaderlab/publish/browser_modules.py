"""The files that the website takes from npm's packages: Pyodide, and the editor's modules as a browser loads them without a bundler."""

from __future__ import annotations

import json
import re
from collections.abc import Container
from pathlib import Path

_PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
_FROM = re.compile(
    r"""^(\s*(?:import|export)\b(?:[^'";]*?\bfrom)?\s*)(['"])([^'"./][^'"]*)\2""", re.MULTILINE
)


def files(packages: Path) -> dict[str, bytes]:
    """Return the files that the website has of ``packages``, the folder that npm fills, by their place in the website."""
    found = {f"pyodide/{name}": (packages / "pyodide" / name).read_bytes() for name in _PYODIDE}
    modules = {}
    for about in sorted([*packages.glob("*/package.json"), *packages.glob("@*/*/package.json")]):
        exports = json.loads(about.read_text("utf-8")).get("exports", {})
        if isinstance(exports.get("import"), str):  # which only the packages of the editor have
            modules[about.parent.relative_to(packages).as_posix()] = about.parent / exports["import"]
    for name, path in modules.items():
        found[f"editor/{_file(name)}"] = linked(path.read_text("utf-8"), modules).encode()
    return found


def linked(source: str, modules: Container[str]) -> str:
    """Return the source of a module that imports others by the names of their packages, with their files instead.

    ``modules``: the names that have a file; raises ``KeyError`` for another one.
    """

    def address(found: re.Match[str]) -> str:
        if found[3] not in modules:
            raise KeyError(found[3])
        return f"{found[1]}{found[2]}./{_file(found[3])}{found[2]}"

    return _FROM.sub(address, source)


def _file(package: str) -> str:
    return package.removeprefix("@").replace("/", "-") + ".js"
