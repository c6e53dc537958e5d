"""A check after an answer cell that failed says that it judges an older answer, and says so only then."""

from __future__ import annotations

import json
import subprocess
import sys

GOOD = "def number_of_batches(samples, batch):\n    return -(-samples // batch)"
BAD = "def number_of_batches(samples, batch):\n    return 1"
BROKEN = "def number_of_batches(samples, batch:\n    return 2"
CHECK = "lab.check('number_of_batches', number_of_batches)"
# Runs the cells given as JSON in an IPython of its own, as a kernel does; the last line has the value of each.
SHELL = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
values = [repr(shell.run_cell(cell, store_history=True).result) for cell in json.loads(sys.argv[1])]
print("\\n" + json.dumps(values))
"""
# After a good answer: the next cell, and whether what a check judges is then older than that cell.
CASES = {
    BROKEN: True,
    f"    {BROKEN}": True,
    f"%%time\n{BROKEN}": True,
    f"1 / 0\n{GOOD}": True,
    "number_of_batches = 1 / 0": True,
    "number_of_batches: int = (": True,
    "class number_of_batches(Nothing): pass": True,
    f"{BAD}\n1 / 0": False,  # it was defined, then something else failed
    "number_of_batches(1, ": False,  # uses it
    "1 / 0": False,
    "other = number_of_batches = 3": False,
    f"%%time\n{BAD}": False,
}


def values(*cells: str) -> list[str]:
    command = [sys.executable, "-c", SHELL, json.dumps(cells)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    found: list[str] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_a_check_says_that_it_judges_an_older_answer_until_the_cell_is_mended() -> None:
    begin = "import loaderlab as lab; lab.begin('start_here')"
    _begun, _good, _failed, old, _mended, new = values(begin, GOOD, BROKEN, CHECK, BAD, CHECK)
    assert old.startswith(
        "! This judges your previous answer: the cell that defines `number_of_batches` failed"
    )
    assert "This judges" not in new and "✗" in new


def test_an_answer_is_outdated_where_its_newest_cell_failed_before_it_defined_it() -> None:
    asked = "'number_of_batches' in outdated()"
    rounds = [cell for case in CASES for cell in (GOOD, case, asked)]
    found = values("from loaderlab.notebook.outdated import outdated; outdated()", *rounds)
    assert dict(zip(CASES, [value == "True" for value in found[3::3]], strict=True)) == CASES
