"""The scripts as a library: what is public is there, is imported when used, and is described."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import loaderlab as lab
from loaderlab import scripts
from loaderlab.cli import main
from loaderlab.scripts.images import synthetic
from places import ROOT
from processes import python

PAGE = (ROOT / "docs" / "library.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def test_the_page_has_a_section_for_each_public_name_and_no_other() -> None:
    assert list(SECTIONS) == list(scripts.PUBLIC)


@pytest.mark.parametrize("name", [name for name in scripts.PUBLIC if name != "ImageError"])
def test_the_page_has_each_argument_with_its_default(name: str) -> None:
    section = SECTIONS[name]
    (given,) = re.findall(rf"`{name}\((.*?)\)`(?: →|:)", section)
    signature = inspect.signature(getattr(scripts, name))
    for parameter in signature.parameters.values():
        default = parameter.default
        said = re.search(rf"\b{parameter.name}(?:=((?:\([^)]*\)|[^,)])+))?(?:,|$)", given)
        assert said, parameter
        if default is inspect.Parameter.empty or said[1] == "…":
            continue
        assert eval(said[1], {}) == default, parameter
    if any(parameter.kind is inspect.Parameter.KEYWORD_ONLY for parameter in signature.parameters.values()):
        assert "*" in given


def test_a_reader_of_the_course_has_them_as_lab_scripts(tmp_path: Path) -> None:
    assert lab.scripts.pack(synthetic(tmp_path / "images", 9, 40, 30), tmp_path / "p") == []
    loader = lab.scripts.loader(tmp_path / "p", 4, size=16, workers=0)
    assert [len(labels) for _images, labels in loader] == [4, 4, 1]
    assert set(scripts.PUBLIC) <= set(dir(scripts))
    with pytest.raises(AttributeError, match="no attribute 'packs'"):
        _ = scripts.packs


def test_to_import_them_imports_no_torch() -> None:
    code = "import sys, loaderlab as lab; lab.scripts; print('torch' in sys.modules, 'PIL' in sys.modules)"
    assert python(code).stdout.split() == ["False", "False"]


def test_a_project_that_took_one_script_has_its_names_and_not_the_others(tmp_path: Path) -> None:
    assert main(["take", "distributed_sampler", str(tmp_path / "loading")]) == 0
    (tmp_path / "loaderlab.py").write_text("raise ImportError")  # the course is not there
    code = "import loading\nprint(len(loading.EvenSampler(9)))\ntry:\n    loading.pack\nexcept ImportError as error:\n    print(error)"
    ran = python(code, tmp_path)
    assert ran.stdout.splitlines() == ["9", "No module named 'loading.packing'"], ran.stderr


def test_the_number_of_workers_is_chosen_with_the_trainings_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loaderlab.scripts.machine.workers", lambda: 1)
    scripts.pack(synthetic(tmp_path / "images", 9, 40, 30), tmp_path / "p")
    came: list[tuple[int, ...]] = []
    found = scripts.choose_workers(
        tmp_path / "p", 3, 2, size=16, step=lambda images, labels: came.append((len(images), len(labels)))
    )
    # Of the first two batches, in which workers start, and of two that are measured; for one worker, and for two.
    assert list(found) == [1, 2] and came == [(3, 3)] * 8
