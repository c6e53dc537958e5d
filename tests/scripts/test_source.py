"""The user's program as it is written: the line in which something is made, or said."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from loaderlab.scripts.diagnosis.lines import call_of, files_of, line_of

PROGRAM = '''"""A program."""
from torch.utils.data import DataLoader, Dataset

class Numbers(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        # not this: self.file.read(index)
        return self.file.read(index)  # shares self.file

def make(dataset):
    train = DataLoader(
        dataset,
        num_workers=1,
    )
    return train, DataLoader(dataset)

def stream(source):
    return (
        source
        .shuffle(100)
        .decode("torch")
    )
'''


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    (tmp_path / "own_program.py").write_text(PROGRAM)
    spec = importlib.util.spec_from_file_location("own_program", tmp_path / "own_program.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "own_program", module)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "argument", "expected"),
    [
        ("DataLoader", "num_workers", (15, "num_workers=1,")),
        ("DataLoader", "", None),  # either
        ("DataLoader", "batch_size", None),
        ("decode", "", (23, '.decode("torch")')),
        ("read", "", (10, "return self.file.read(index)")),
        ("write", "", None),
    ],
)
def test_the_line_of_a_call_is_found_where_only_one_is_meant(
    program: ModuleType, name: str, argument: str, expected: Any
) -> None:
    place = call_of(name, [str(program.__file__)], argument)
    assert (place and (place.line, place.text)) == expected


def test_the_line_of_a_class_is_found_and_comments_are_none(program: ModuleType) -> None:
    place = line_of(program.Numbers, r"self\.file")
    assert place is not None and place.line == 10 and str(place).endswith("own_program.py:10")
    assert line_of(program.Numbers, "shares") is None and line_of(len, "len") is None


def test_the_files_of_a_program_are_those_of_its_objects_and_no_package(program: ModuleType) -> None:
    assert files_of(program.Numbers(), program.make, len)[:1] == [program.__file__]
    assert not any("/torch/" in file for file in files_of(program.DataLoader))
