"""The grade of an answer, and of a submission."""

from __future__ import annotations

from dataclasses import dataclass

from loaderlab.exercises.exercise import Verdict
from loaderlab.teaching.grading.submission import Submission

SET = "set"  # the status of a grade whose points the instructor set
LACKING = "package"  # that of an answer which imports what is not installed here
# Those of answers that a person must judge.
DOUBTFUL = ("forged", "tampered", "unjudged", "broke", "busy", LACKING)


@dataclass(frozen=True)
class Grade:
    """One exercise of one submission.

    ``status`` is a stable English code: "graded", "untouched", "missing", "raised", "time", "memory", "set", … ;
    ``remarks`` are translated. ``lacks``: the packages that the answer imports and this machine lacks.
    """

    exercise: str
    verdict: Verdict
    status: str
    remarks: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()

    @property
    def full(self) -> bool:
        """True if the answer has all points."""
        return self.verdict.points == self.verdict.maximum

    @property
    def doubtful(self) -> bool:
        """True if a person must judge the answer."""
        return self.status in DOUBTFUL

    @property
    def score(self) -> str:
        """The points, of how many; with an asterisk where the instructor set them."""
        return f"{self.verdict.points}/{self.verdict.maximum}{'*' if self.status == SET else ''}"


@dataclass(frozen=True)
class Result:
    """One submission and its grades, in the order of the exercises; none where nothing of it can be graded."""

    submission: Submission
    grades: tuple[Grade, ...]

    @property
    def points(self) -> int:
        """All points reached."""
        return sum(grade.verdict.points for grade in self.grades)

    @property
    def corrected(self) -> bool:
        """True if the instructor set the points of any answer."""
        return any(grade.status == SET for grade in self.grades)

    @property
    def maximum(self) -> int:
        """All points there are."""
        return sum(grade.verdict.maximum for grade in self.grades)
