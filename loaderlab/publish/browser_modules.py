"""The modules of npm packages as a browser loads them without a bundler: names of packages become addresses beside them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

_FROM = re.compile(
    r"""^(\s*(?:import|export)\b(?:[^'";]*?\bfrom)?\s*)(['"])([^'"./][^'"]*)\2""", re.MULTILINE
)


def linked(source: str, places: Mapping[str, str]) -> str:
    """Return the source of a module, which imports packages by the names of their files.

    ``places`` has the file of each package; raises ``KeyError`` for a package that is not among them.
    """
    return _FROM.sub(
        lambda found: f"{found[1]}{found[2]}./{PurePosixPath(places[found[3]]).name}{found[2]}", source
    )
