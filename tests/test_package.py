"""The package: what importing it costs, what it accepts, and what it is installed with."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
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


@pytest.mark.parametrize("version", ["3.11.7", "3.12.0", "3.13.0", "3.14.0"])
def test_the_package_accepts_supported_pythons(settings: dict[str, Any], version: str) -> None:
    assert SpecifierSet(settings["project"]["requires-python"]).contains(version)
    minor = ".".join(version.split(".")[:2])
    assert f"Programming Language :: Python :: {minor}" in settings["project"]["classifiers"]


def pins(path: Path) -> dict[str, str]:
    """The packages of a file of requirements, each in one version."""
    lines = path.read_text("utf-8").splitlines()
    found = [Requirement(line) for line in lines if line and not line.startswith("#")]
    assert [pin for pin in found if [s.operator for s in pin.specifier] != ["=="]] == []
    pinned = {pin.name: next(iter(pin.specifier)).version for pin in found}
    assert len(pinned) == len(found)
    return pinned


def test_learners_get_everything_that_the_package_needs(settings: dict[str, Any], root: Path) -> None:
    pinned = pins(root / "requirements.txt")
    extras = settings["project"]["optional-dependencies"]
    for required in map(Requirement, [*settings["project"]["dependencies"], *extras["workshop"]]):
        assert required.specifier.contains(pinned[required.name])


def test_nothing_lies_at_the_top_that_nobody_put_there(root: Path) -> None:
    known = """
        .ci .dockerignore .gitattributes .github .gitignore CHANGELOG.md CITATION.cff CODE_OF_CONDUCT.md CONTRIBUTING.md Dockerfile
        LICENSE LICENSE-CONTENT Makefile README.fr.md README.md README.pl.md conftest.py docs hatch_build.py images
        SECURITY.md jupyter_nbconvert_config.py loaderlab notebooks notebooks_fr notebooks_pl pyproject.toml requirements-dev.txt
        requirements.txt solutions tests tools
    """
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    assert {file.partition("/")[0] for file in listed.splitlines() if (root / file).exists()} == set(
        known.split()
    )


def test_the_first_page_is_read_in_a_minute(root: Path, settings: dict[str, Any]) -> None:
    text = (root / "README.md").read_text("utf-8")
    if "your_name" in settings["project"]["urls"]["Repository"]:  # badges come with an address
        assert len(text.encode()) <= 9500
    assert text.index("![") < 800  # bytes before the first picture


def test_learners_get_nothing_that_only_authors_and_tests_need(root: Path) -> None:
    learners, authors = pins(root / "requirements.txt"), pins(root / "requirements-dev.txt")
    assert set(learners) & set(authors) == set()
    assert {"jupyterlab", "torch", "matplotlib", "ipywidgets", "nbval", "pytest", "jupytext"} <= set(learners)
    assert {"mypy", "playwright"} <= set(authors)


@pytest.mark.skipif(os.name != "posix", reason="make is for POSIX")
@pytest.mark.parametrize(
    ("target", "installs"), [("lab", False), ("test", True), ("build", True), ("check", True)]
)
def test_only_what_needs_them_installs_the_packages_of_authors(
    root: Path, target: str, installs: bool
) -> None:
    command = ["make", "--dry-run", "--always-make", target]
    said = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    assert "--no-compile -r requirements.txt " in said
    assert ("-r requirements-dev.txt" in said) == installs


def test_the_package_and_the_doctor_ask_for_the_same_torch(settings: dict[str, Any]) -> None:
    """In 2.6, `in_order=False` still deals every worker as many batches."""
    (required,) = [r for r in map(Requirement, settings["project"]["dependencies"]) if r.name == "torch"]
    assert not required.specifier.contains("2.6.1") and required.specifier.contains("2.7.0")
    rest = {"jupyterlab": "4.6.6", "ipywidgets": "8.1.9"}
    assert [lack.thing for lack in needs.packages_lacking(rest | {"torch": "2.6.1"})] == ["torch"]
    assert needs.packages_lacking(rest | {"torch": "2.7.0"}) == []


def test_on_windows_no_path_of_the_checkout_is_read_in_the_encoding_of_the_locale(root: Path) -> None:
    """An editable install writes the path into a file that Python before 3.13 reads so."""
    commands = re.findall(
        r"```powershell\n(.*?)```", (root / "docs" / "environments.md").read_text("utf-8"), re.DOTALL
    )
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
