"""The packages that a lesson needs beside PyTorch, as wheels: for a machine that reaches no package index."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _

# What runs a lesson from its sources. Each of them is taken in the version that is installed here, with what it needs.
ROOTS = (
    "ipykernel",
    "ipywidgets",
    "jupytext",
    "nbclient",
    "nbformat",
    "polib",
    "simplejpeg",
    "torchdata",
    "wcwidth",
    "webdataset",
)
# What a machine with PyTorch has, in versions that fit each other and its driver.
THERE = frozenset({"torch", "numpy", "pillow", "matplotlib", "psutil"})
# From the newest Linux down; pip takes the first for which there is a wheel.
PLATFORMS = (
    *(f"manylinux_2_{minor}_x86_64" for minor in (34, 31, 28, 27, 24, 17)),
    "manylinux2014_x86_64",
    "manylinux1_x86_64",
)


def fetch(folder: Path, python: str) -> list[Path]:
    """Download the wheels for Linux on x86-64 and this Python ("3.12") into ``folder``; returns them.

    Raises :class:`LabError` where pip fails, with what it said.
    """
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += [
        "--only-binary=:all:",
        "--implementation",
        "cp",
        "--python-version",
        python,
        "--dest",
        str(folder),
    ]
    for platform in PLATFORMS:
        command += ["--platform", platform]
    _pip(command + [f"{name}=={version}" for name, version in sorted(needed(python).items())])
    return sorted(folder.glob("*.whl"))


def install(folder: Path, target: Path) -> None:
    """Put the wheels of ``folder`` into ``target``, without a network; raises :class:`LabError` where pip fails."""
    wheels = sorted(map(str, folder.glob("*.whl")))
    if not wheels:
        raise LabError(
            _(
                "There is no wheel in {folder}. Expected: a folder that `loaderlab record --fetch-wheels {folder}` filled, "
                "on a machine with a network."
            ).format(folder=folder)
        )
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]
    _pip([*command, "--no-deps", "--no-compile", "--target", str(target), *wheels])


def needed(python: str, roots: Iterable[str] = ROOTS) -> dict[str, str]:
    """Name and version of these packages and of all that they need, as installed here; ``THERE`` left out."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    there = {"python_version": python, "python_full_version": f"{python}.0"}
    there |= {
        "sys_platform": "linux",
        "platform_system": "Linux",
        "platform_machine": "x86_64",
        "os_name": "posix",
    }
    found: dict[str, str] = {}
    left = list(roots)
    while left:
        name = canonicalize_name(left.pop())
        if name in found or name in THERE:
            continue
        try:
            package = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            raise LabError(
                _(
                    "The package {name} is not installed here, so its version for the other machine is not known. "
                    "Expected: all of requirements.txt. Run `pip install -r requirements.txt`, then try again."
                ).format(name=name)
            ) from None
        found[name] = package.version
        requirements = map(Requirement, package.requires or ())
        left += [
            each.name
            for each in requirements
            if each.marker is None or each.marker.evaluate({"extra": "", **there})
        ]
    return found


def _pip(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LabError(
            _("pip failed:\n{error}\nThe command was: {command}").format(
                error=done.stderr.strip(), command=" ".join(command)
            )
        )
