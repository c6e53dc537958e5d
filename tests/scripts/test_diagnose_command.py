"""`loaderlab diagnose` in a shell: with what it needs and nothing else, and where something of that is missing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from processes import python

# What `pip install torch numpy psutil` brings.
THERE = {
    *("torch", "torchgen", "functorch", "numpy", "psutil", "nvidia", "triton"),
    *("filelock", "typing_extensions", "sympy", "mpmath", "networkx", "jinja2", "markupsafe", "fsspec", "setuptools"),
    *("pkg_resources", "_distutils_hack", "train"),
}  # fmt: skip
ONLY = """
import sys

class Missing:
    there = set(sys.stdlib_module_names) | {there!r} | {{"loaderlab"}}

    def find_spec(self, name, path=None, target=None):
        # The build's own settings are a module of the standard library that its list does not have.
        own = name.startswith("_sysconfigdata") or name.partition(".")[0] in self.there
        if path is None and not own:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
from loaderlab.cli import main
sys.exit(main({arguments!r}))
"""
TRAIN = """
import torch
from torch.utils.data import DataLoader, TensorDataset
def make_loader():
    return DataLoader(TensorDataset(torch.zeros(1000)), 10)
def make_step():
    return lambda batch: None
"""


def called(folder: Path, there: set[str], *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "train.py").write_text(TRAIN)
    code = ONLY.format(there=there, arguments=["diagnose", *arguments])
    return python(code, folder)


def test_it_answers_with_torch_numpy_and_psutil_alone(tmp_path: Path) -> None:
    ran = called(
        tmp_path, THERE, "train.py:make_loader", "--step", "train.py:make_step", "--seconds", "2", "--json", "a.json"
    )  # fmt: skip
    assert ran.returncode == 0 and ran.stdout.startswith("1. "), ran.stderr
    assert '"schema": 2' in (tmp_path / "a.json").read_text()
    assert ran.stderr == ""


@pytest.mark.parametrize("package", ["torch", "numpy", "psutil"])
def test_what_is_missing_is_said_in_a_sentence(tmp_path: Path, package: str) -> None:
    ran = called(tmp_path, THERE - {package}, "train.py:make_loader")
    assert ran.returncode == 1 and ran.stdout == ""
    assert f"needs the package {package}" in ran.stderr and f"-m pip install {package}`" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_it_speaks_the_language_that_is_asked_for_where_the_catalogs_can_be_read(tmp_path: Path) -> None:
    asked = ("nowhere.py:make_loader", "--language", "fr")
    said = called(tmp_path, THERE | {"polib"}, *asked).stderr
    assert "indiquez un fichier" in said and "not installed" not in said
    said = called(tmp_path, THERE, *asked).stderr
    assert "polib is not installed" in said and "give a file" in said and "Traceback" not in said


def test_the_script_is_taken_where_what_it_needs_is_missing(tmp_path: Path) -> None:
    """Its name is also that of a command, whose module would need torch."""
    code = ONLY.format(there=set(), arguments=["take", "diagnose", "tools"])
    ran = python(code, tmp_path)
    assert ran.returncode == 0 and (tmp_path / "tools" / "diagnose.py").is_file(), ran.stderr


def test_it_has_the_options_of_the_script(tmp_path: Path) -> None:
    helped = called(tmp_path, THERE, "--help").stdout
    assert helped.startswith("usage: loaderlab diagnose")
    for option in ("--step", "--seconds", "--json", "--language"):
        assert option in helped
