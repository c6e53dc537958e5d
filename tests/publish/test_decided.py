"""What decides a comparison: something that ran, or only what the cells write down."""

from __future__ import annotations

import nbformat
import pytest

from loaderlab import course
from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.publish import decided
from loaderlab.publish.source import read


def faults(*cells: str, computed: bool = False) -> list[str]:
    """The faults of a notebook with these cells, the last of which compares with the guess `sum`."""
    found = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    said = nbformat.v4.new_output("execute_result", {"text/plain": "measured: 5"}, execution_count=1)
    found.cells[-1].outputs = [said]
    return list(decided.faults(found, {"sum": Prediction("sum", "How many?", computed=computed)}))


SET_UP = [
    ("lab.compare('sum', 5)",),
    (
        "rows = [{'m': m, 'tiles': -(-m // 128)} for m in (1, 129)]\nlab.table(rows)",
        "lab.compare('sum', rows[1]['tiles'])",
    ),
    ("found = []\nfor m in range(3):\n    found.append(m)", "lab.compare('sum', sum(found))"),
    ("def doubled(x):\n    return 2 * x", "lab.compare('sum', doubled(3))"),
    ("from loaderlab.lessons.warps import tiles", "lab.compare('sum', tiles.waves(129, 4096, sms=108))"),
    (
        "from loaderlab.lessons.warps import curve\nsteps = [m for m in range(9) if m > curve.columns('whole_wave', 4)]",
        "lab.compare('sum', bool(steps))",
    ),
]
RAN = [
    ("import time\nstarted = time.perf_counter()", "lab.compare('sum', started)"),
    (
        "swept = lab.benchmark(sweep)\nrates = [row['rate'] for row in swept.rows]",
        "lab.compare('sum', max(rates))",
    ),
    ("count = 0\nfor batch in DataLoader(range(10), 4):\n    count += 1", "lab.compare('sum', count)"),
    (
        "seen = []\nfor batch in DataLoader(range(10), collate_fn=seen.append):\n    pass",
        "lab.compare('sum', len(seen))",
    ),
    ("with lab.pinning.pin_thread() as thread:\n    n = 5", "lab.compare('sum', n)"),
    (
        "try:\n    torch.zeros(3).pin_memory()\n    said = 1\nexcept RuntimeError:\n    said = 0",
        "lab.compare('sum', said)",
    ),
    ("def timed():\n    return time.perf_counter()", "lab.compare('sum', timed())"),
    ("log = []\ndef noted():\n    log.append(time.time())", "noted()\nlab.compare('sum', len(log))"),
    ("from loaderlab.lessons.warps import curve", "lab.compare('sum', curve.operations(f))"),
    ("%%writefile x.py\nsaid = 1", "lab.compare('sum', said)"),
]


@pytest.mark.parametrize("cells", SET_UP, ids=range(len(SET_UP)))
def test_what_the_cells_write_down_is_not_measured(cells: tuple[str, ...]) -> None:
    (said,) = faults(*cells)
    assert f"cell {len(cells)}" in said and "'sum'" in said
    assert faults(*cells, computed=True) == []


@pytest.mark.parametrize("cells", RAN, ids=range(len(RAN)))
def test_what_ran_may_decide(cells: tuple[str, ...]) -> None:
    assert faults(*cells) == []


def test_a_statement_about_the_world_is_not_computed() -> None:
    prediction = Prediction(
        "multiples", "Batch sizes must be multiples of 32", choices=TRUE_OR_FALSE, computed=True
    )
    (said,) = decided.faults(nbformat.v4.new_notebook(), {"multiples": prediction})
    assert "'multiples'" in said and "None" in said


@pytest.mark.parametrize("lesson", course.lessons(), ids=lambda lesson: lesson.name)
def test_what_is_called_measured_ran(lesson: course.Lesson) -> None:
    cells = [cell.source if cell.is_code else "" for cell in read(lesson).cells]
    found = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    assert list(decided.faults(found, lesson.predictions())) == []
