"""A course of one tiny lesson, for the tests of publishing: built once, and copied for each test."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from loaderlab.course import Lesson
from loaderlab.i18n.language import messages, read_catalog
from loaderlab.publish import bootstrap_cell, execution, notebook, press, readme, review
from loaderlab.publish.checkout import EXERCISES, SOLUTIONS, TRANSLATIONS, Checkout

LESSON_MD = '''\
---
jupytext:
  text_representation:
    format_name: myst
kernelspec:
  name: python3
  display_name: Python 3
---

# A tiny lesson

It shows `one` thing, as the [manual](https://example.org/a_b) says.
The value is $x = 1$.

```{code-cell} ipython3
:tags: [setup]

import loaderlab as lab
lab.begin("tiny", language="en")
```

+++ {"minutes": 5}

## Add up

+++ {"note": true}

Ask who has seen a generator.
Skip this when time is short.

```{code-cell} ipython3
# the sum of all
total = sum(range(4))
total
```

```{code-cell} ipython3
lab.diagram("tiny")
```

+++ {"exercise": "double"}

## Double it

Return **twice** the number.

+++ {"hints": "double"}

- Add it to itself.

```{code-cell} ipython3
:exercise: double

def double(x):
    """Twice the number."""
    ### BEGIN SOLUTION
    secret = x + x
    return secret
    ### END SOLUTION
```

```{code-cell} ipython3
:check: double

lab.check("double", double)
```
'''
README = """\
# Course

<!-- languages:begin -->
<!-- languages:end -->

[Begin](notebooks/01_tiny.ipynb).

<!-- start:begin -->
<!-- start:end -->

<!-- lessons:begin -->
<!-- lessons:end -->

End.
"""
MESSAGE = "Cores: {n}"
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg"><!-- <text>no</text> --><title>Two workers</title>'
    '<style>text { fill: red }</style><text x="1">first &amp; <tspan>last</tspan></text>'
    "<text>42</text></svg>\n"
)


class TinyLesson(Lesson):
    def exercises(self) -> dict[str, Any]:
        return {"double": SimpleNamespace(name="double", points=4, difficulty=2, minutes=6, criteria=())}


@dataclass(frozen=True)
class Course:
    """The course, what was run in it so far, and shorthands for the tests."""

    checkout: Checkout
    ran: list[str]

    @property
    def lesson(self) -> Lesson:
        return self.checkout.lessons[0]

    @property
    def source(self) -> Path:
        return self.lesson.folder / "lesson.md"

    def catalog(self, language: str) -> Path:
        return self.lesson.folder / f"{language}.po"

    def notebook(self, language: str, kind: str = EXERCISES) -> Path:
        return self.checkout.notebook(self.lesson, language, kind)

    def read(self, language: str, kind: str = EXERCISES) -> Any:
        return notebook.read(self.notebook(language, kind))

    def build(self, force: bool = False) -> None:
        press.build(self.checkout, ["tiny"], force, say=lambda line: None)

    def problems(self) -> list[str]:
        return review.problems(self.checkout, ["tiny"])

    def files(self) -> dict[str, bytes]:
        return {
            str(path): path.read_bytes() for path in sorted(self.checkout.root.rglob("*")) if path.is_file()
        }

    def edit(self, path: Path, old: str, new: str) -> None:
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")

    def translate(self, language: str) -> None:
        """Translate whatever is not: after a word that shows it, the English."""
        folders = (self.lesson.folder, self.checkout.locale, readme.locale(self.checkout))
        for path in (folder / f"{language}.po" for folder in folders):
            untranslated_filled(path, language)


def untranslated_filled(path: Path, language: str) -> None:
    """Translate what the catalog has not, or no longer: after a word that shows it, the English."""
    entries = read_catalog(path)
    for entry in (*entries.untranslated_entries(), *entries.fuzzy_entries()):
        entry.msgstr = f"Voilà {entry.msgid}" if language == "fr" else f"Oto {entry.msgid}"
        entry.flags = [flag for flag in entry.flags if flag != "fuzzy"]
        entry.previous_msgid = None
    path.write_text(str(entries), "utf-8")


def course_at(root: Path) -> Course:
    """Return the course in this folder."""
    lesson = TinyLesson("tiny", 1, 5, folder_root=root / "loaderlab" / "lessons")
    return Course(Checkout(root, (lesson,), "https://github.com/o/n", "main"), [])


def build(root: Path) -> None:
    """Write the sources of the course, build it, translate it, build it again."""
    made = course_at(root)
    publish = root / "loaderlab" / "publish"
    publish.mkdir(parents=True)
    # Their words go into notebooks.
    for name in ("notebook.py", "code.py", "predictions.py", "checkout.py", "bootstrap_cell.py"):
        shutil.copy(Path(notebook.__file__).parent / name, publish)
    (root / "loaderlab" / "hello.py").write_text(f'print(_("{MESSAGE}"))\n')
    made.lesson.folder.mkdir(parents=True)
    made.source.write_text(LESSON_MD)
    (made.lesson.folder / "__init__.py").write_text('LABEL = mark("Load time")\n')
    (root / "images").mkdir()
    (root / "images" / "tiny.svg").write_text(SVG)
    (root / "README.md").write_text(README)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(execution, "run", pretend(made))
        made.build()
        for language in TRANSLATIONS:
            made.translate(language)
        made.build()


def pretend(made: Course) -> Any:
    """Stand in for running a notebook: number its cells, and note in ``made.ran`` which one it was.

    A solution says one message of the package, the learner's notebook none.
    """

    def run(found: Any, folder: Path, where: str, environment: Any) -> set[str]:
        made.ran.append(where)
        code = [cell for cell in found.cells if cell.cell_type == "code"]
        run = (cell for cell in code if bootstrap_cell.SKIPPED not in cell.metadata.get("tags", ()))
        for count, cell in enumerate(run, 1):
            cell.execution_count = count
        about = found.metadata["loaderlab"]
        said = messages(about["language"], made.checkout.locale).get(MESSAGE, MESSAGE)
        return {said, "ms"} if about["kind"] == SOLUTIONS else set()

    return run
