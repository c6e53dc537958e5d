"""The measure of the lessons' English finds what readers at B2 stopped at, and leaves alone what stands there now."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest

from places import ROOT


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    found = importlib.util.spec_from_file_location("sentences", ROOT / "tools" / "sentences.py")
    assert found and found.loader
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("before", "now", "turn"),
    [
        (
            "Times differ between machines; what must not is printed by a cell.",
            "Your times differ from those of other machines.",
            "ellipsis",
        ),
        (
            "Add up wait and step, the first batch apart.",
            "Add up wait and step without the first batch.",
            "ellipsis",
        ),
        (
            "What is compared must run alike, so here it gets one, too.",
            "A fair comparison needs the same for both.",
            "clause as subject",
        ),
        (
            "With 4 workers, how many times as fast as without is each of the three?",
            "How many times as fast does each of the three become with 4 workers?",
            "ellipsis",
        ),
        (
            "Next to every rate belongs its limit: what would be reached.",
            "Every rate needs its limit beside it.",
            "inversion",
        ),
        ("What it reaches is the limit.", "The rate of that loop is the limit.", "clause as subject"),
        (
            "Only when the queue pickles the batch is the tensor copied to shared memory.",
            "The tensor is copied only when the queue pickles the batch.",
            "inversion",
        ),
    ],
)
def test_a_hard_turn_of_phrase_is_found_and_what_replaced_it_is_not(
    tool: ModuleType, before: str, now: str, turn: str
) -> None:
    assert turn in tool.turns(before)
    assert tool.turns(now) == []


def test_a_question_with_what_is_no_clause_as_a_subject(tool: ModuleType) -> None:
    assert tool.turns("What does the first batch cost?") == []


def test_sentences_are_those_of_paragraphs_and_lists_without_code(tool: ModuleType) -> None:
    text = "# A heading here\n\nOne `a b c d` is short. Two\nlines.\n\n- An item.\n\n| a | table |\n|---|---|\n\n```\ncode. More.\n```\n"
    assert list(tool.sentences(text)) == ["One ¤ is short.", "Two lines.", "An item."]
