"""A file is written whole, or stays as it was."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.measuring import atomic_write


def test_a_file_that_cannot_be_replaced_stays_and_nothing_lies_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    language.use("en")
    path = tmp_path / "grades.csv"
    atomic_write.write(path, b"before")

    def fail(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(LabError, match=r"grades.csv cannot be written: No space left on device"):
        atomic_write.write(path, b"after")
    assert path.read_bytes() == b"before" and os.listdir(tmp_path) == ["grades.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights.")
def test_only_its_owner_reads_a_file_unless_others_are_to(tmp_path: Path) -> None:
    for mode, arguments in {0o600: (), 0o644: (0o644,)}.items():
        atomic_write.write(tmp_path / "file", b"", *arguments)
        assert (tmp_path / "file").stat().st_mode & 0o777 == mode
