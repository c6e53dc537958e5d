"""Where bubblewrap does not start, the grader is tested without it, and what it confines is not tested."""

from __future__ import annotations

import pytest

from loaderlab.teaching.grading import run, slots
from sandbox import bubblewrap_starts


@pytest.fixture(scope="session", autouse=True)
def _as_this_machine_allows() -> None:
    if not bubblewrap_starts():
        run.Slots = lambda *most: slots.Slots(*most[:-1], False)
