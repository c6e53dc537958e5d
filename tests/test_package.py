"""What installing and importing the package costs, contains and accepts."""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import loaderlab
from loaderlab.course import needs

COLAB = {"torch": "2.11.0", "ipywidgets": "7.7.1", "ipython": "7.34.0"}


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def seconds_to_import(module: str) -> float:
    timed = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    return float(python(timed))


def test_importing_the_package_costs_at_most_a_tenth_of_importing_torch() -> None:
    pairs = [(seconds_to_import("loaderlab"), seconds_to_import("torch")) for _ in range(4)]
    # The first pair only warms the disk.
    ours, torchs = (statistics.median(times) for times in zip(*pairs[1:], strict=True))
    print(f"import loaderlab: {1000 * ours:.1f} ms; import torch: {1000 * torchs:.0f} ms")
    assert ours <= torchs / 10


def test_importing_the_package_imports_nothing_heavy() -> None:
    imported = json.loads(python("import json, sys, loaderlab; print(json.dumps(sorted(sys.modules)))"))
    assert {"torch", "numpy", "matplotlib", "ipywidgets", "IPython", "polib"} & set(imported) == set()


@pytest.mark.parametrize("package", COLAB)
def test_the_requirements_accept_what_colab_has(settings: dict[str, Any], package: str) -> None:
    required = {r.name: r for r in map(Requirement, settings["project"]["dependencies"])}
    assert required[package].specifier.contains(COLAB[package])


def test_the_version_is_the_same_wherever_it_stands(root: Path) -> None:
    assert f'\nversion: "{loaderlab.__version__}"\n' in (root / "CITATION.cff").read_text("utf-8")
    assert f"\n## {loaderlab.__version__} " in (root / "CHANGELOG.md").read_text("utf-8")


@pytest.mark.parametrize("version", ["3.10.0", "3.11.7", "3.13.0", "3.14.0"])
def test_the_package_accepts_supported_pythons(settings: dict[str, Any], version: str) -> None:
    assert SpecifierSet(settings["project"]["requires-python"]).contains(version)


def test_the_pinned_requirements_hold_everything_that_the_package_needs(
    settings: dict[str, Any], root: Path
) -> None:
    lines = (root / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    assert [pin for pin in pins if [s.operator for s in pin.specifier] != ["=="]] == []
    for python_version in ("3.10", "3.11", "3.13"):
        here = [p for p in pins if p.marker is None or p.marker.evaluate({"python_version": python_version})]
        pinned = {pin.name: next(iter(pin.specifier)).version for pin in here}
        assert len(pinned) == len(here)
        for required in map(Requirement, settings["project"]["dependencies"]):
            assert required.specifier.contains(pinned[required.name])


def test_the_package_and_the_doctor_ask_for_the_same_torch(settings: dict[str, Any]) -> None:
    """In 2.6, `in_order=False` still deals every worker as many batches."""
    (required,) = [r for r in map(Requirement, settings["project"]["dependencies"]) if r.name == "torch"]
    assert not required.specifier.contains("2.6.1") and required.specifier.contains("2.7.0")
    rest = {"jupyterlab": "4.6.6", "ipywidgets": "8.1.9"}
    assert [lack.thing for lack in needs.packages_lacking(rest | {"torch": "2.6.1"})] == ["torch"]
    assert needs.packages_lacking(rest | {"torch": "2.7.0"}) == []


def test_on_windows_no_path_of_the_checkout_is_read_in_the_encoding_of_the_locale(root: Path) -> None:
    """An editable install writes the path into a file that Python before 3.13 reads so."""
    commands = re.findall(r"```powershell\n(.*?)```", (root / "README.md").read_text("utf-8"), re.DOTALL)
    assert commands and not any(re.search(r"pip install .*-e\b", each) for each in commands)


@pytest.mark.skipif(os.name != "posix", reason="make is for POSIX")
def test_what_make_installs_starts_in_a_folder_with_accents_whatever_the_locale(
    root: Path, tmp_path: Path
) -> None:
    checkout = tmp_path / "zażółć é"
    checkout.mkdir()
    (checkout / "loaderlab").symlink_to(root / "loaderlab")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", ".venv"], cwd=checkout, check=True)
    (site,) = checkout.glob(".venv/lib/python*/site-packages")
    (site / "_loaderlab.pth").write_text(str(checkout), "utf-8")  # as an editable install does
    (recipe,) = re.findall(r"^\t(.*_loaderlab\.pth)$", (root / "Makefile").read_text("utf-8"), re.MULTILINE)
    subprocess.run(["sh", "-c", recipe.replace("$(VENV)", ".venv")], cwd=checkout, check=True)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"LC_ALL": "POSIX"}
    code = "import loaderlab; print(ascii(loaderlab.__file__))"
    command = [str(checkout / ".venv" / "bin" / "python"), "-c", code]
    done = subprocess.run(command, cwd="/", env=environment, capture_output=True, text=True, check=False)
    assert "\\u017c" in done.stdout, done.stderr


def test_a_wheel_holds_everything_that_a_notebook_needs(
    root: Path, tmp_path: Path, missing: Callable[[str], None]
) -> None:
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path), str(root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "No matching distribution found for hatchling" in done.stderr:
        missing(f"pip cannot get the build backend: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    sources = [p.relative_to(root) for p in (root / "loaderlab").rglob("*") if p.is_file()]
    expected = {p.as_posix() for p in sources if "__pycache__" not in p.parts}
    expected |= {f"loaderlab/{p.relative_to(root).as_posix()}" for p in (root / "images").rglob("*.*")}
    assert expected - names == set()
    assert any(name.endswith("/data/etc/jupyter/jupyter_server_config.d/loaderlab.json") for name in names)
    required = ("lessons/workers/lesson.md", "i18n/locale/fr.po", "i18n/locale/pl.po")
    assert {f"loaderlab/{name}" for name in required} <= names
    assert any(name.startswith("loaderlab/images/") for name in names)
    assert not any(name.startswith(("tests/", "notebooks")) for name in names)
