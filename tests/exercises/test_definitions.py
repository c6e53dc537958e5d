"""What of a cell other cells can build on: definitions, and no measurements."""

import ast

import pytest

from loaderlab.exercises.definitions import definitions


@pytest.mark.parametrize(
    ("cell", "kept"),
    [
        ("import numpy as np\nfolder = made()\nsize = folder.size", 3),
        ("folder = made()\nTWO = 1 + 1", 1),
        ("import numpy as np\nfolder = made()\nprint(folder)", 1),
        # Where it repeats something, only what is plain.
        ("import numpy as np\nTWO = 1 + 1\ncosts = {name: cost(work) for name, work in works.items()}", 2),
        ("import numpy as np\nEVEN = [2 * i for i in range(5)]", 2),
        ("limit = measured()\ndef half(x): return limit / 2", 1),
    ],
)
def test_a_cell_that_measures_gives_only_its_definitions(cell: str, kept: int) -> None:
    body = ast.parse(cell).body
    found = definitions(body)
    assert len(found) == kept and found == [statement for statement in body if statement in found]
