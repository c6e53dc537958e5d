"""Packages of npm's registry, at pinned versions: what the website brings along for browsers.

They are fetched by the registry's own protocol and not by npm, which need not be there; where that asks another registry than
the public one (``NPM_CONFIG_REGISTRY``), so does this.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import tarfile
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import URLError

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import atomic_write

if TYPE_CHECKING:
    from collections.abc import Mapping

PUBLIC = "https://registry.npmjs.org"
SECONDS = 60


@dataclass(frozen=True)
class Package:
    """A package at a version; ``integrity`` is the SHA-512 of its archive, as npm writes it.

    ``files`` says which of its files the website has, and where.
    """

    name: str
    version: str
    integrity: str
    files: Mapping[str, str]

    @property
    def archive(self) -> str:
        """The file name of its archive in the registry."""
        return f"{self.name.rpartition('/')[2]}-{self.version}.tgz"


def packages(file: Path) -> list[Package]:
    """Return the packages that a JSON file lists, by name."""
    listed = json.loads(file.read_text("utf-8"))
    return [Package(name, **about) for name, about in listed.items()]


def files(package: Package, cache: Path) -> dict[str, bytes]:
    """Return the content of the package's files, by their place in the website; ``cache`` keeps archives for the next time.

    Raises :class:`LabError` where the registry cannot be reached, or has something else than what is pinned.
    """
    kept = cache / f"{package.name.replace('/', '+')}-{package.version}.tgz"
    content = kept.read_bytes() if kept.is_file() else b""
    if digest(content) != package.integrity:
        content = _fetched(package)
        cache.mkdir(parents=True, exist_ok=True)
        atomic_write.write(kept, content, 0o644)
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        members = {member.name.partition("/")[2]: member for member in archive if member.isfile()}
        found = {place: archive.extractfile(members[name]) for name, place in package.files.items()}
        return {place: file.read() for place, file in found.items() if file is not None}


def digest(content: bytes) -> str:
    """Return the SHA-512 of ``content``, as npm writes it."""
    return "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()


def _fetched(package: Package) -> bytes:
    base = os.environ.get("NPM_CONFIG_REGISTRY", PUBLIC)
    address = f"{base.rstrip('/')}/{package.name}/-/{package.archive}"
    try:
        with urllib.request.urlopen(address, timeout=SECONDS) as answer:
            content: bytes = answer.read()
    except (URLError, OSError, ValueError) as error:
        raise LabError(
            _(
                "{package} cannot be fetched from {address}: {error}. The website needs it. Connect to the network, or name "
                "another registry of npm in NPM_CONFIG_REGISTRY."
            ).format(package=f"{package.name} {package.version}", address=address, error=error)
        ) from None
    if digest(content) != package.integrity:
        raise LabError(
            _(
                "{address} is not the file that {list} pins: its SHA-512 differs. Nothing of it was used. Name another registry "
                "of npm in NPM_CONFIG_REGISTRY, or correct the list."
            ).format(address=address, list="docs/site/packages.json")
        )
    return content
