"""Each rule for a stored table, broken once; and tables that break none."""

from __future__ import annotations

from collections.abc import Iterator

import nbformat
import pytest
from nbformat import NotebookNode

from loaderlab.i18n.language import LANGUAGES, speaking, use
from loaderlab.notebook import figures, session
from loaderlab.publish.figures import faults


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    yield
    use("en")


def stored(rows: list[dict[str, object]], language: str = "en", below: str = "") -> NotebookNode:
    """A notebook in which a cell showed these rows as a table."""
    session.begin("start_here", language)
    with speaking(language):
        text = repr(figures.table(rows)) + below
    cell = nbformat.v4.new_code_cell("lab.table(rows)")
    cell.outputs = [nbformat.v4.new_output("execute_result", {"text/plain": text}, execution_count=1)]
    return nbformat.v4.new_notebook(cells=[cell], metadata={"loaderlab": {"language": language}})


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_count_below_zero_is_a_fault(language: str) -> None:
    rows = [{"kind": "tensor", "segments": 1}, {"kind": "a NumPy array", "segments": -1}, {"kind": "bytes"}]
    found = stored(rows, language)
    use("en")
    (said,) = faults(found)
    assert said == "cell 1: a count is below zero: -1 in the column 'segments'."


def test_what_is_no_count_may_be_below_zero() -> None:
    rows = [{"mean": -0.022, "of": "[0, -1]", "change": -1}, {"mean": 0.1, "of": "-1", "change": 0.5}]
    assert list(faults(stored(rows))) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_rate_above_its_own_limit_is_a_fault_and_one_within_its_noise_is_not(language: str) -> None:
    def rows(rate: float) -> list[dict[str, object]]:
        return [{"step_ms": 4, "samples_per_second": rate, "limit": 12345.6}]

    near, far = (stored(rows(rate), language) for rate in (12900.0, 24691.2))
    use("en")
    assert list(faults(near)) == []
    (said,) = faults(far)
    assert "2.00 times its own limit" in said


def test_what_stands_below_a_table_is_none_of_its_rows() -> None:
    """Else the stamp would be the last value of each column, and no column a column of counts."""
    rows = [{"num_workers": 2, "segments": -1}]
    (said,) = faults(stored(rows, below="\n(measured here: AMD EPYC, cores: 2)"))
    assert "below zero" in said
