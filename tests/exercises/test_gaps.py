"""What is left open costs its own points and is named; an exercise is untouched only where nothing was done."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from answers import exercises, named, stub
from loaderlab.exercises import gaps

CLASS = """class Photos(Base):
    raise NotImplementedError  # your code here


class Training(Base):
    def epoch(self):
        raise NotImplementedError
"""


def opened(text: str) -> set[str]:
    """The functions and classes of a stub whose body is a gap."""
    nodes = [(node, "") for node in ast.parse(text).body]
    nodes += [
        (inner, f"{node.name}.")
        for node, _of in nodes
        if isinstance(node, ast.ClassDef)
        for inner in node.body
    ]
    named = [(node, of) for node, of in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return {of + node.name for node, of in named if any(isinstance(inner, ast.Raise) for inner in node.body)}


@pytest.mark.parametrize("where", [pytest.param(where, id="-".join(where)) for where in exercises()])
def test_a_probe_names_what_the_lesson_leaves_to_the_learner(where: tuple[str, str]) -> None:
    answer = stub(*where)
    probe, text = (
        answer.judge.probe,
        answer.text.partition("\n")[2] if "%%writefile" in answer.text else answer.text,
    )
    named = {"class": {f"{probe.name}.{part}" for part in probe.parts}, "function": {probe.name}}
    assert opened(text) == named.get(probe.kind, set(probe.parts))


def test_a_gap_in_a_class_is_bridged_and_one_in_a_method_is_not() -> None:
    bridged = gaps.bridged(CLASS)
    assert bridged.count("NotImplementedError") == 1 and "    pass\n" in bridged
    compile(bridged, "bridged", "exec")


def test_a_file_is_untouched_until_something_is_written(tmp_path: Path) -> None:
    path = tmp_path / "training.py"
    path.write_text(CLASS)
    assert gaps.is_untouched(path, ("Photos", "Training.epoch"))
    path.write_text(CLASS.replace("    raise NotImplementedError  # your code here", "    size = 3"))
    assert not gaps.is_untouched(path, ("Photos", "Training.epoch"))
    path.write_text("class Photos(Base: what is this")
    assert not gaps.is_untouched(path, ("Photos",))


@pytest.mark.parametrize(
    ("body", "untouched"),
    [
        ("raise NotImplementedError  # your code here", True),
        ("'A docstring.'; raise NotImplementedError", True),
        ("return -(-samples // size)\n    raise NotImplementedError", False),
        ("if samples == 0: return 0\n    raise NotImplementedError", False),
        ("samples += 1\n    raise NotImplementedError", False),
        ("yield samples\n    raise NotImplementedError", False),
        ("pass", False),
    ],
)
def test_a_function_is_untouched_where_it_only_raises(body: str, untouched: bool) -> None:
    names: dict[str, Any] = {}
    exec(f"def batches(samples, size):\n    {body}\n", names)
    assert gaps.is_untouched(names["batches"], ()) is untouched
    names["Batches"] = type("Batches", (), {"count": names["batches"]})
    assert gaps.is_untouched(names["Batches"], ("count",)) is untouched


def test_an_open_method_is_named_and_the_others_keep_their_points() -> None:
    found = named("shared_memory", "PackedFields", "wrong: unpack open").verdict()
    assert found.attempted and found.points == 4
    assert "nothing: `unpack` is still to be written" in [finding.got for finding in found.findings]
