"""Writes docs/licences.md: the licence of every package in requirements.lock, as the package itself states it.

Usage: python tools/licences.py (`make lock` calls it). Asks pip, which needs a network and version 25 or newer; nothing is installed.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

from places import ROOT

LOCK = ROOT / "requirements.lock"
LIST = ROOT / "docs" / "licences.md"
HEAD = """\
# Licences

What `requirements.lock` installs, on one system or another, and the licence that each package states. Written by `make lock`.

| package | licence |
|---|---|
"""
PIP = ("-m", "pip", "install", "--dry-run", "--no-deps", "--ignore-installed", "--quiet", "--report", "-")
WHEEL = ("--only-binary", ":all:", "--target", "unused")
# A few packages exist for a newer Python, or for Windows only.
SYSTEMS = ((), ("--python-version", "3.14", *WHEEL), ("--platform", "win_amd64", *WHEEL))
UNSTATED = ("", "UNKNOWN")
# What a package without such a statement says elsewhere.
ELSEWHERE = {
    "axe-playwright-python": "MIT (its file LICENSE); it carries axe-core: MPL-2.0",
    "cuda-toolkit": "LicenseRef-NVIDIA-Proprietary (https://docs.nvidia.com/cuda/eula/)",
    "resvg-py": "MIT (its file LICENSE)",
}
PREFIX = "License :: "


def locked() -> list[str]:
    """The packages of the lock, as ``name==version``, in its order."""
    return re.findall(r"^([\w.-]+==[\w.+!]+)", LOCK.read_text("utf-8"), re.MULTILINE)


def licence(package: str) -> str:
    """What the package states: an SPDX expression, else its classifiers, else its line; "" where it states none."""
    metadata = _metadata(package)
    classified = [
        name.removeprefix(PREFIX).split(" :: ")[-1]
        for name in metadata.get("classifier", [])
        if name.startswith(PREFIX)
    ]
    line = metadata.get("license", "").strip().splitlines()[:1]
    stated = metadata.get("license_expression") or " or ".join(classified) or "".join(line)
    return ELSEWHERE.get(package.partition("==")[0], "") if stated in UNSTATED else stated


def _metadata(package: str) -> dict[str, Any]:
    problem = ""
    for system in SYSTEMS:
        done = subprocess.run(
            [sys.executable, *PIP, *system, package], capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            metadata: dict[str, Any] = json.loads(done.stdout)["install"][0]["metadata"]
            return metadata
        problem = done.stderr
    raise SystemExit(f"pip finds nothing for {package}: {problem[-500:]}")


def main() -> None:
    packages = locked()
    with ThreadPoolExecutor(4) as pool:
        stated = dict(zip(packages, pool.map(licence, packages), strict=True))
    unknown = [package for package, name in stated.items() if not name]
    if unknown:
        raise SystemExit(
            f"No licence is stated by {', '.join(unknown)}. Look it up, and add it to ELSEWHERE with its source."
        )
    rows = (f"| {package.replace('==', ' ')} | {name} |\n" for package, name in stated.items())
    LIST.write_text(HEAD + "".join(rows), "utf-8")


if __name__ == "__main__":
    main()
