"""The one error that a learner, an instructor or an author is meant to read."""

from __future__ import annotations


class LabError(Exception):
    """Something went wrong that the reader can mend.

    The message says what happened, what was expected and what to do, already in the reader's language.
    """

    def _render_traceback_(self) -> list[str]:
        """IPython asks for this: the learner sees the message, not the frames of the package."""
        return [f"loaderlab: {self}"]
