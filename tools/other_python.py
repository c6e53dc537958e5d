"""The English lessons under a newer Python: in a small Debian in a folder, with Debian's own Python and torch.

``python tools/other_python.py forky FOLDER [LESSON…]`` (as root; needs debootstrap, util-linux and a network) makes the
Debian where FOLDER has none, installs the package of this checkout in it as a wheel, runs the lessons as ``pytest --nbval`` does,
and says which passed, which cells did not, and how long each took; first of all, what is older than the package asks for. What
pytest wrote is in ``FOLDER/tmp``. MIRROR=… names another mirror than debootstrap's own. FOLDER takes 3 GB.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from loaderlab import course

ROOT = Path(__file__).parents[1]

# What a kernel, the lessons and their tests import, of what Debian has; its own BLAS is many times slower than OpenBLAS.
DEBIAN = ["libopenblas0-pthread"]
DEBIAN += [
    f"python3-{name}"
    for name in (
        *("torch", "numpy", "pil", "matplotlib", "psutil", "polib", "wcwidth", "tqdm", "yaml", "braceexpand"),
        *("ipykernel", "ipywidgets", "nbformat", "pip", "pytest", "coverage"),
    )
]
WHEELS = ["webdataset", "torchdata", "nbval"]

# Mounts that end with the last process in it; /dev/shm is its own, so that nothing else is counted in it.
ENTER = """
set -e
root=$1 checkout=$2; shift 2
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mkdir -p "$root/course"
mount --bind "$checkout" "$root/course"
exec chroot "$root" env --ignore-environment --chdir=/course PATH=/usr/local/bin:/usr/sbin:/usr/bin HOME=/root LANG=C.UTF-8 \\
  DEBIAN_FRONTEND=noninteractive PYTHONDONTWRITEBYTECODE=1 "$@"
"""


class Debian:
    """A Debian in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def make(self, suite: str) -> None:
        command = ["debootstrap", "--variant=minbase", suite, str(self.folder), os.environ.get("MIRROR", "")]
        # A debootstrap older than the suite does not know its name: all have been made alike for years.
        if not Path("/usr/share/debootstrap/scripts", suite).exists():
            command += ["/usr/share/debootstrap/scripts/sid"]
        subprocess.run(command, check=True)
        # debootstrap itself knows of no package that stands for another. A mirror may be a snapshot of some month.
        apt = ["apt-get", "-qq", "-o", "Acquire::Check-Valid-Until=false"]
        self.run(*apt, "update", check=True)
        self.run(*apt, "install", "--yes", "--no-install-recommends", *DEBIAN, check=True)
        self.run("apt-get", "clean", check=True)

    def run(self, *command: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run a command in the system, as root, in this checkout, which is mounted as ``/course``; no process of it is left behind."""
        alone = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
        command = ("sh", "-c", ENTER, "sh", str(self.folder), str(ROOT), *command)
        return subprocess.run([*alone, *command], check=False, text=True, **options)

    def install(self) -> None:
        """Install the package of this checkout and what Debian lacks, from the pip of this Python: there, pip has no network."""
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "-q", "--no-deps"]
        with tempfile.TemporaryDirectory(dir=self.folder / "tmp") as wheels:
            files = ("requirements.txt", "requirements-dev.txt")
            pinned = [f"--constraint={ROOT / name}" for name in files]
            subprocess.run([*pip, "-w", wheels, *pinned, str(ROOT), *WHEELS], check=True)
            # What was installed before may have been of another commit; and pip takes Debian's own packages for unfit for one another.
            options = (
                "-q --break-system-packages --root-user-action=ignore --force-reinstall --no-deps --no-index"
            )
            there = [
                "python3",
                "-m",
                "pip",
                "install",
                *options.split(),
                f"--find-links=/tmp/{Path(wheels).name}",
            ]
            self.run(*there, "loaderlab", *WHEELS, check=True)
        found = self.run("python3", "-m", "pip", "check", stdout=subprocess.PIPE).stdout.splitlines()
        for line in found:
            if line.startswith("loaderlab "):
                print(line)


def failures(report: Path) -> tuple[int, dict[str, str]]:
    """Return how many cells a run of pytest reports, and for each that failed the difference, or the exception."""
    cases = list(ElementTree.parse(report).iter("testcase"))
    failed = {}
    for case in cases:
        for problem in (*case.findall("failure"), *case.findall("error")):
            text = re.sub(r"(#x1B|\x1b)\[[\d;]*m", "", problem.text or "")
            said = re.findall(r"^\s*('.* == .*|\w*(?:Error|Exception|Interrupt)\b.*)$", text, re.MULTILINE)
            failed[case.get("name", "")] = said[-1] if said else text.strip().splitlines()[0]
    return len(cases), failed


def lesson(debian: Debian, name: str) -> bool:
    """Run a lesson, and say what came of it; returns whether it passed."""
    report, started = f"/tmp/{name}.xml", time.monotonic()
    with (debian.folder / "tmp" / f"{name}.txt").open("w", encoding="utf-8") as log:
        command = ["python3", "-m", "pytest", "-p", "no:cacheprovider", "--nbval", f"--junitxml={report}"]
        debian.run(*command, "--durations-min=5", f"notebooks/{name}.ipynb", stdout=log, stderr=log)
    minutes = (time.monotonic() - started) / 60
    cells, failed = failures(debian.folder / report[1:])
    print(
        f"{name:24} {cells:3} cells  {minutes:5.1f} minutes  {'passed' if not failed else 'FAILED'}",
        flush=True,
    )
    for cell, said in failed.items():
        print(f"    {cell}: {said}", flush=True)
    return not failed


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suite", help="Debian's name for it: trixie has Python 3.13, forky 3.14")
    parser.add_argument("folder", type=Path, help="where that Debian is, or will be")
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="such as workers; all of them without")
    chosen = parser.parse_args()
    debian = Debian(chosen.folder.resolve())
    if not (debian.folder / "usr" / "bin" / "pip").exists():
        debian.make(chosen.suite)
    debian.install()
    debian.run(
        "python3",
        "-c",
        "import sys, torch; print('Python', sys.version, 'torch', torch.__version__)",
        check=True,
    )
    found = [each.file for each in course.lessons() if not chosen.lessons or each.name in chosen.lessons]
    return sum(not lesson(debian, name) for name in found)


if __name__ == "__main__":
    sys.exit(main())
