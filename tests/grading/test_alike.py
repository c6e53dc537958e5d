"""Which answers are pointed out as equal: the same program of several students, which the course did not publish."""

from __future__ import annotations

import re
import sys

import pytest

from graded import Page, result, verdict
from handed_in import solutions, student
from loaderlab import course
from loaderlab.teaching.grading import report
from loaderlab.teaching.grading.alike import LONGEST, alike
from loaderlab.teaching.grading.grade import Result

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="A class is graded in WSL there.")

ANSWER = '''import statistics


def choose_num_workers(throughputs, tolerance=0.05):
    """The smallest number of workers that is within the tolerance of the best."""
    table = sorted(throughputs.items())
    middle = [statistics.median(values) for workers, values in table]
    for (workers, values), median in zip(table, middle):
        if median >= (1 - tolerance) * max(middle):
            return workers
'''
RETOUCHED = """
import statistics
def choose_num_workers( throughputs,tolerance = 0.05 ):
    # mine
    '''My own.'''
    table = sorted(throughputs.items())   # in order

    middle = [
        statistics.median(values)
        for workers, values in table
    ]
    for (workers, values), median in zip(table, middle):
        if median >= (1 - tolerance) * max(middle): return workers
"""


def handed(
    student: str, source: str, exercise: str = "choose_num_workers", lesson: str = "workers"
) -> Result:
    return result(student, verdict(3), verdict(3), answers={exercise: source}, lesson=lesson)


def equal(*sources: str, **where: str) -> bool:
    """Whether these sources, each of another student, are pointed out as one group of all of them."""
    found = alike([handed(f"student {n}", source, **where) for n, source in enumerate(sources)])
    return [len(one.results) for one in found] == [len(sources)]


def test_comments_docstrings_and_layout_make_no_other_program():
    assert equal(ANSWER, RETOUCHED, ANSWER.replace("    ", "\t"))
    assert equal(ANSWER, "%%time\n" + ANSWER)


def test_other_local_names_make_no_other_program():
    assert equal(ANSWER, ANSWER.replace("table", "rows").replace("values", "v"))
    nested = (
        "def f(a):\n    n = 0\n    def g(x):\n        nonlocal n\n        n = n + x\n    g(a)\n    return n\n"
    )
    assert equal(nested, re.sub(r"\bn\b", "m", nested))
    assert not equal(nested, nested.replace("g(a)", "g(n)"))


def test_small_groups_come_first():
    other = ANSWER.replace("0.05", "0.06")
    many = [handed(f"student {n}", ANSWER) for n in range(5)]
    found = alike([*many, handed("anna", other), handed("ben", other)])
    assert [len(one.results) for one in found] == [2, 5]


def test_the_published_solution_is_named_where_it_is_long_and_nobody_is_suspected_first():
    found = solutions("workers")
    renamed = found["choose_num_workers"].replace("medians", "middles")
    pages = [
        report.page([handed("anna", source)], []) for source in (found["choose_num_workers"], renamed, ANSWER)
    ]
    assert ["Equal to the published solution." in page for page in pages] == [True, True, False]
    assert not any("Look at these first" in page for page in pages)
    line = "def tensor_loader(b, n):\n    return b"
    assert "published" not in report.page([handed("anna", line, exercise="tensor_loader")], [])


@pytest.mark.parametrize(
    ("old", "new"), [("tolerance", "part"), ("0.05", "0.06"), (">=", ">"), ("max", "min")]
)
def test_a_parameter_or_a_number_does(old, new):
    assert not equal(ANSWER, ANSWER.replace(old, new))


def test_notebooks_of_one_student_are_not_compared():
    assert not alike([handed("anna", ANSWER), handed("anna", ANSWER)])
    (found,) = alike([handed("anna", ANSWER), handed("ben", ANSWER), handed("anna", "x = 1")])
    assert [one.submission.student for one in found.results] == ["anna", "ben"]


@pytest.mark.parametrize("lesson", [lesson.name for lesson in course.lessons()])
def test_published_solutions_and_untouched_cells_are_never_pointed_out(lesson):
    untouched = {
        cell["id"].removeprefix("answer-"): "".join(cell["source"])
        for cell in student(lesson, {})["cells"]
        if cell.get("id", "").startswith("answer-")
    }
    for name, solution in solutions(lesson).items():
        assert not equal(solution, solution, exercise=name, lesson=lesson)
        assert not equal(untouched[name], untouched[name], exercise=name, lesson=lesson)


def test_an_answer_of_one_or_two_lines_may_be_equal_by_chance():
    line = "def tensor_loader(b, n, f=None):\n    return b * (n * (f or 2) + 1)\n"
    assert not equal(line, line, exercise="tensor_loader")
    longer = line.replace("    return", "    f = f or 2\n    total = 1\n    return")
    assert equal(longer, longer, exercise="tensor_loader")


def test_answers_that_are_files_are_compared_too():
    source = "%%writefile {lab.scratch}/portable.py\nimport json\nimport io\nx = json\ny = io\n"
    assert equal(source, "# mine\n" + source, exercise="portable")


@pytest.mark.parametrize(
    "source",
    ["def f(:", "x = 1\x00", "-" * LONGEST + "1", "(" * 300 + ")" * 300, "x" + ".x" * (LONGEST // 2 - 1), "a\n" * LONGEST, "f(" * 90 + "1" + ")" * 90,
     "%%time\n" * 2000, "#\n" * 9000, "\n" * LONGEST],
    ids=["syntax", "nul", "minus", "parentheses", "dots", "long", "calls", "magics", "comments", "empty"],
)  # fmt: skip
def test_what_is_no_plain_python_is_not_compared_and_does_no_harm(source):
    assert not equal(source, source)


def test_the_page_names_equal_answers_to_the_instructor_and_shows_each_answer():
    source = ANSWER + "\nprint('</pre><script>x</script>', '\u202e')\n"
    page = report.page([handed("anna", source), handed("ben", source), handed("carla", "x = 1")], [])
    found = Page(page)
    assert "choose_num_workers · Equal answers: anna, ben" in found.text.partition("Student")[0]
    assert found.text.count("Equal to the answers of:") == 2 and "Equal to the answers of: ben" in found.text
    assert found.text.count("middle = [statistics") == 2 and "x = 1" in found.text
    assert "script" not in found.tags and "'</pre><script>x</script>', '\\u202e'" in found.text
    assert found.tags.count("pre") == 3 and "    table = sorted" in found.text


def test_without_equal_answers_the_page_does_not_speak_of_any():
    assert "Equal" not in report.page([handed("anna", ANSWER), handed("ben", "x = 1")], [])
