"""Which answers are probed again, though an earlier run did: those of some students, or of some exercises."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.teaching.grading.submission import Submission, of_student


def chosen(
    submissions: Sequence[Submission], students: Collection[str], exercises: Collection[str]
) -> set[tuple[int, str]]:
    """Submissions (by their place) and exercises; with both given, the answers of these students to these exercises.

    A student is called as the report does, or by the number of Moodle or Canvas. Raises :class:`LabError` for what
    nobody is called, or has an answer to.
    """
    theirs = {name: of_student(name, submissions) for name in students}
    answered = {name for one in submissions for name in one.answers}
    if missing := [name for name, found in theirs.items() if not found]:
        raise LabError(
            _(
                "Nobody whose notebook could be read is called {student!r}. Expected: a name as the report shows it."
            ).format(student=missing[0])
        )
    if missing := [name for name in exercises if name not in answered]:
        raise LabError(
            _("Nobody has an answer to the exercise {names}. Expected, for example: {known}.").format(
                names=", ".join(missing), known=", ".join(sorted(answered)[:5])
            )
        )
    return {
        (n, name)
        for n, one in enumerate(submissions)
        if not students or any(one in found for found in theirs.values())
        for name in one.answers
        if name in exercises or not exercises
    }
