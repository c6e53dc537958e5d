"""Grades as a class may have them, and what its pages hold."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

from loaderlab.exercises.criterion import Finding
from loaderlab.exercises.exercise import Verdict
from loaderlab.teaching.grading.grade import Grade, Result
from loaderlab.teaching.grading.submission import Submission

HOSTILE = (
    "=1+2",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r\n=1",
    "  =1",
    '"=1',
    "' =1",
    "＝1",
    "a;=1",
    'a; "+1',
    "a\nb,c\r\nd",
    'quote " and , comma',
    "<script>alert(1)</script>",
    "</style></title><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "`<b>`",
    "nul \0 bell \x07 escape \x1b[31m \u202egnp\u202c",
    "long " * 2000,
    "学生" * 30,
    "\ud800",
)


def verdict(points: int, *failed: str, text: str = "x") -> Verdict:
    """Return a verdict of three points in all, with a failed finding for each of these criteria."""
    findings = [Finding(False, 1, name, f"expected {text}", f"got {text}", f"hint {text}") for name in failed]
    findings += [Finding(True, 1, f"passed {n}") for n in range(points)]
    return Verdict(points, 3, f"{points}/3 {text}", tuple(findings))


def result(student: str, *verdicts: Verdict, **fields: Any) -> Result:
    """Return a submission of lesson 1 with an answer to its first exercises."""
    grades = tuple(
        Grade(name, found, "graded")
        for name, found in zip(("choose_num_workers", "tensor_loader"), verdicts, strict=False)
    )
    return Result(replace(Submission(student, f"{student}.ipynb", "workers"), **fields), grades)


class Page(HTMLParser):
    """The tags of a page, its attributes and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data
