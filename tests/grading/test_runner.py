"""A cell of an answer defines what it would define in the notebook."""

from __future__ import annotations

import sys

import pytest

from loaderlab.teaching.grading import runner

RIGHT = "def answer():\n    return 1\n"


@pytest.mark.parametrize(
    ("above", "defined"),
    [
        ("", True),
        ("raise KeyError\n", True),  # what it measures may need what is not here
        ("%%time\n", True),
        ("raise SystemExit\n", False),
        ("import sys\nsys.exit()\n", False),
        ("%%writefile answer.py\n", False),
        ("# to a file\n%%file answer.py\n", False),
    ],
)
def test_what_stands_above_a_definition_does_what_it_does_in_the_notebook(
    above: str, defined: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, getattr(sys, name))
    request = {"statements": [], "cells": [], "answer": above + RIGHT}
    found, _problem = runner._define(request, "answer")
    assert (found is not None) is defined
