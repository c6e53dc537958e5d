"""How a wheel differs from the checkout that it is made of; pyproject.toml names this file, and hatchling calls it."""

from __future__ import annotations

import re
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

PYTHON = re.compile(r"^#: .*\.py\b", re.MULTILINE)  # where a message stands
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!\w+:|#)([^)\s]+)\)")  # to a file of the repository
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


class CatalogsOfTheWheel(BuildHookInterface):
    """Leaves the prose of lessons out of their catalogs: the notebooks have it, and half of a catalog is the English."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        self.folder = tempfile.TemporaryDirectory()
        for path in Path(self.root, "loaderlab", "lessons").glob("*/*.po"):
            name = path.relative_to(self.root).as_posix()
            target = Path(self.folder.name, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(spoken(path.read_text("utf-8")), "utf-8")
            build_data["force_include"][str(target)] = name

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self.folder.cleanup()


class PageOfAnIndex(MetadataHookInterface):
    """The README as a package index shows it, and no address while the repository has none."""

    def update(self, metadata: dict[str, Any]) -> None:
        root = Path(self.root)
        repository = metadata["urls"]["Repository"]
        if "/your_name/" in repository:  # as in loaderlab/publish/checkout.py
            repository = ""
            del metadata["urls"]["Repository"]
        ref = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["loaderlab"]["ref"]
        text = page((root / "README.md").read_text("utf-8"), repository, ref)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def spoken(catalog: str) -> str:
    """Return the messages of a PO file that Python says, hints among them, the headings, of which outlines are made, and the questions that cards ask."""
    header, *blocks = catalog.split("\n\n")
    kept = [
        block
        for block in blocks
        if PYTHON.search(block)
        or "#. heading\n" in block
        or "#. hint\n" in block
        or "**Predict first.**" in block
        or _listed(block)
    ]
    return "\n\n".join([header, *kept]) + "\n"


def _listed(block: str) -> bool:
    """Return whether a message is a question in a list, as explorers ask them."""
    return "#. list item\n" in block and "?" in block


def page(readme: str, repository: str, ref: str) -> str:
    """Return the README with whole addresses in this repository at this ref; without a repository, links become words, and pictures go."""

    def whole(found: re.Match[str]) -> str:
        picture, words, path = found.groups()
        if not repository:
            return "" if picture else words
        if picture:
            return f"![{words}]({repository.replace('//github.com', '//raw.githubusercontent.com')}/{ref}/{path})"
        return f"[{words}]({repository}/{'tree' if path.endswith('/') else 'blob'}/{ref}/{path})"

    parts, end = [], 0
    for fence in FENCE.finditer(readme):
        parts += [LINK.sub(whole, readme[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, LINK.sub(whole, readme[end:])])
