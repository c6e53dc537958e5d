"""The code of cells: what of it is translated, how solutions are cut out, what counts as the same code."""

from __future__ import annotations

import pytest

from loaderlab.i18n.errors import LabError
from loaderlab.publish import code

CELL = '''\
%%writefile {lab.scratch}/x.py
"""What the module does."""
import os  # behind code
# first line
# second line

# noqa: E501
def f(x):
    """One line.

    Args:
        x: é
    """
    %pip install x
    y = !ls
    text = "# no comment"
    ### BEGIN SOLUTION
    # the trick
    return x * 2
    ### END SOLUTION
'''


def test_comments_and_docstrings_are_found_and_nothing_else() -> None:
    assert [remark.message for remark in code.remarks(CELL)] == [
        "What the module does.",
        "behind code",
        "first line\nsecond line",
        "One line.\n\nArgs:\n    x: é",
        "the trick",
    ]


def test_without_translations_a_cell_stays_as_it_is() -> None:
    assert code.render(CELL, lambda message: None) == CELL


def test_a_translated_cell_is_the_same_code() -> None:
    new = code.render(CELL, lambda message: message.upper() + "\nde plus")
    assert code.same(CELL, new)
    assert "import os  # BEHIND CODE de plus\n" in new
    assert "\n# FIRST LINE\n# SECOND LINE\n# de plus\n" in new
    assert '    """ONE LINE.\n\n    ARGS:\n        X: É\n    de plus\n    """\n' in new


def test_a_translation_that_would_change_the_code_is_refused() -> None:
    with pytest.raises(LabError, match="change the code"):
        code.render('def f():\n    """Doc."""\n', lambda message: 'a""" + "b')


def test_a_cell_that_is_not_python_is_left_alone() -> None:
    for cell in ("%%bash\n# a comment\nls", "no python here # at all"):
        assert not code.remarks(cell) and code.render(cell, str.upper) == cell


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x * 2", "x * 3"),
        ('"# no comment"', '"# nie"'),
        ("pip install x", "pip install y"),
        ("{lab.scratch}/x.py", "{lab.scratch}/y.py"),
        ("    text =", "text ="),
        ("y = !ls\n    text", "y = !ls; text"),
    ],
)
def test_any_other_difference_is_other_code(old: str, new: str) -> None:
    assert not code.same(CELL, CELL.replace(old, new))


def test_each_solution_becomes_a_stub_at_its_indentation() -> None:
    cell = (
        "def f():\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION\n\n"
        "### BEGIN SOLUTION\ny\n### END SOLUTION"
    )
    assert code.stub(cell, "lesson.md", "votre code") == (
        "def f():\n    raise NotImplementedError  # votre code\n\nraise NotImplementedError  # votre code"
    )


@pytest.mark.parametrize(
    ("cell", "line", "said"),
    [
        ("a\n### BEGIN SOLUTION\nb", 2, "without an ### END"),
        ("a\n### END SOLUTION", 2, "without a ### BEGIN"),
        ("### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION", 2, "a second ### BEGIN"),
        ("a\nb\n# BEGIN SOLUTION\n", 3, "or is misspelt"),
        ("a ### END SOLUTION", 1, "not alone on its line"),
    ],
)
def test_markers_that_do_not_pair_name_file_cell_and_line(cell: str, line: int, said: str) -> None:
    with pytest.raises(LabError, match=said) as caught:
        code.stub(cell, "tiny/lesson.md, cell 3", "x")
    assert str(caught.value).startswith(f"tiny/lesson.md, cell 3, line {line} of the cell")
    assert "Add, move or remove" in str(caught.value)


def test_sentences_in_strings_are_found_and_labels_are_not() -> None:
    cell = (
        '"""A docstring that says something."""\nprint("this is one sentence", f"so is this one too {x}")\n'
    )
    assert code.sentences(cell) == ["this is one sentence", "so is this one too "]
    assert code.sentences('x = ["samples/s", "from a import b", "a/b c", "%d of %d", "wait share"]') == []


def test_a_line_break_can_make_other_code() -> None:
    assert not code.same("x\n-1", "x -1")
    assert code.same("x = (1,\n     2)  # two\n\n", "x = (1,  # one\n     2)")


def test_the_essence_of_a_source_is_what_its_outputs_can_depend_on() -> None:
    assert code.essence(CELL) == (
        "%%writefile {lab.scratch}/x.py\nimport os\ndef f(x):\n    %pip install x\n    y = !ls\n"
        '    text = "# no comment"\n    return x * 2'
    )
    messages = (
        'a = _(\n    "é one "  # why\n    "and two {n}"\n).format(n=f("five"))\nb = mark("x"), other("kept")'
    )
    assert code.essence(messages) == 'a = _(\n).format(n=f("five"))\nb = mark(), other("kept")'
    assert code.essence("%%bash\nls # all") == "%%bash\nls # all"
