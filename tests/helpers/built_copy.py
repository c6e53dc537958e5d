"""Build a copy of the course in which a lesson is new: as `loaderlab build` does, but lesson 0 is not run.

Called in the copy, with the name of the new lesson. Lesson 0, whose map and tables show the new one, keeps the outputs of the
committed notebooks.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from loaderlab.publish import checkout, execution, notebook, press
from publish_course import untranslated_filled

FIRST = "start_here"
run = execution.run


def kept(found: Any, folder: Path, where: str, environment: Any) -> set[str]:
    """Stand in for running lesson 0."""
    about = found.metadata["loaderlab"]
    if about["lesson"] != FIRST:
        return run(found, folder, where, environment)
    lesson = next(lesson for lesson in here.lessons if lesson.name == FIRST)
    notebook.carry_outputs(found, notebook.read(here.notebook(lesson, about["language"], about["kind"])))
    return set()


if __name__ == "__main__":
    here = checkout.here()
    execution.run = kept
    names = [FIRST, sys.argv[1]]
    press.build(here, names, only_catalogs=True)
    for language in checkout.TRANSLATIONS:
        for lesson in (lesson for lesson in here.lessons if lesson.name in names):
            untranslated_filled(lesson.folder / f"{language}.po", language)
    press.build(here, names)
