"""What answers a prediction waits: explanations are folded, and stored outputs hidden, in the learners' notebooks only."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from loaderlab.i18n.errors import LabError
from loaderlab.publish import predictions
from loaderlab.publish.source import CODE, EXPLANATION, NOTE, PROSE, Cell
from places import notebooks

ASKS = "**Predict first.** How many?"
FIELD = 'lab.predict("many")'


def cells(*told: tuple[str, str]) -> list[Cell]:
    return [
        Cell(role, text, "", (), str(number), f"cell {number}") for number, (role, text) in enumerate(told)
    ]


def test_what_stands_between_a_prediction_and_its_last_explanation_waits() -> None:
    told = cells(
        (PROSE, "## 1. A section"), (CODE, "a"), (PROSE, ASKS), (CODE, FIELD), (CODE, "b"), (EXPLANATION, "Two."), (CODE, "c"),
        (EXPLANATION, "And three."), (CODE, "d"), (PROSE, ASKS), (CODE, FIELD), (NOTE, "Wait."), (EXPLANATION, "Four."), (CODE, "e"),
    )  # fmt: skip
    waits = [number for number, waits in enumerate(predictions.waiting(told)) if waits]
    assert waits == [4, 5, 6, 7, 11, 12]


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (((PROSE, ASKS), (CODE, "a"), (PROSE, "## 2. The next section")), "without an explanation"),
        (((PROSE, ASKS), (CODE, FIELD), (PROSE, ASKS), (EXPLANATION, "Two.")), "without an explanation"),
        (((PROSE, ASKS), (CODE, "a"), (EXPLANATION, "Two.")), "a prediction without a field"),
        (((PROSE, ASKS), (CODE, "a")), "without an explanation"),
        (((CODE, "a"), (EXPLANATION, "Two.")), "this explanation has no question"),
        (
            ((PROSE, ASKS), (CODE, FIELD), (EXPLANATION, "Two."), (PROSE, "## 2."), (EXPLANATION, "Three.")),
            "this explanation has no question",
        ),
    ],
)
def test_a_prediction_needs_an_explanation_and_the_reverse(
    told: tuple[tuple[str, str], ...], said: str
) -> None:
    with pytest.raises(LabError, match=said):
        predictions.waiting(cells(*told))


@pytest.mark.parametrize(
    ("code", "named"),
    [
        (["lab.compare('many', 2)"], r"`lab\.predict`: many"),
        ([FIELD], r"`lab\.compare`: many"),
        ([FIELD, "lab.compare('many', 2)", "lab.predict('few')"], r"`lab\.predict`: few"),
    ],
)
def test_each_prediction_is_asked_for_and_compared(code: list[str], named: str) -> None:
    told = cells(*((CODE, text) for text in code))
    with pytest.raises(LabError, match=named):
        predictions.expect_all_compared(told, ["many"], "lesson.md")
    predictions.expect_all_compared(
        cells((CODE, FIELD), (CODE, "lab.compare('many', 2)")), ["many"], "lesson.md"
    )


def test_a_mention_of_the_method_asks_nothing() -> None:
    assert predictions.waiting(cells((PROSE, "Where it says **Predict first**, write."), (CODE, "a"))) == [
        False,
        False,
    ]


def hidden(notebook: Path) -> tuple[int, int]:
    """How many cells are folded, and of how many the outputs are hidden."""
    found = nbformat.read(notebook, as_version=4).cells
    folded = [cell for cell in found if cell.cell_type == "markdown" and cell.source.startswith("<details>")]
    assert all(cell.source.endswith("\n</details>") for cell in folded)
    return len(folded), sum(cell.metadata.get("jupyter", {}).get("outputs_hidden", False) for cell in found)


def test_in_a_learners_notebook_answers_wait_and_in_a_solution_nothing_does(notebook: Path) -> None:
    folded, outputs = hidden(notebook)
    if "solutions" in notebook.parts:
        assert (folded, outputs) == (0, 0)
    else:
        assert (folded, outputs) == hidden(notebooks()[f"en-student-{notebook.stem}"])
        assert folded >= 3 and outputs >= 3
