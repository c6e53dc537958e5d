"""A copy of the repository, with what is not committed yet: what is added to the course is added there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from places import ROOT


class Copy:
    """The copy, and what runs in it: Python, with its package and its helpers of the tests."""

    def __init__(self, root: Path) -> None:
        self.root = root
        paths = os.pathsep.join(map(str, (root, root / "tests" / "helpers")))
        self.environment = os.environ | {"PYTHONPATH": paths, "PYTHONUTF8": "1"}
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
        for name in (name for name in os.fsdecode(listed).split("\0") if (ROOT / name).is_file()):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, root / name)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run Python in the copy."""
        return subprocess.run(
            [sys.executable, *words],
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=600,
            check=False,
        )

    def pytest(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run tests of the copy."""
        return self.run("-m", "pytest", "-n", "0", "-p", "no:cacheprovider", *words)
