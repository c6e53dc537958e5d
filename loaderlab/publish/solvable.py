"""The exercises that can be solved in a browser: those whose solution passes with the Python that a page takes there."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _

# Without site, no package that is installed is found.
_CHILD = """
import json, sys
asked = json.load(sys.stdin)
sys.path.insert(0, asked["root"])
from loaderlab.web import service
def ask(question):
    if question["ask"] != "check":
        return service.answer(json.dumps(question))
    # As exercise.js does, with one Python instead of two.
    about = {name: question[name] for name in ("lesson", "language", "exercise", "text")}
    given = {"given": question["given"]}
    probe = json.loads(ask({"ask": "probe", **about}))
    return ask({"ask": "judge", **about, **given, "ran": ask({"ask": "run", **about, **given, **probe})})
json.dump([json.loads(ask(question)) for question in asked["questions"]], sys.__stdout__)
"""


def answered(archive: bytes, questions: Sequence[Mapping[str, object]]) -> list[dict[str, object]]:
    """Return what Python in a browser answers a page, from the zip that it has there; raises :class:`LabError` where it cannot."""
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(io.BytesIO(archive)).extractall(folder)
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _CHILD],
            input=json.dumps({"root": folder, "questions": list(questions)}),
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
    if done.returncode:
        raise LabError(
            _("What a page of the website asks of Python fails without a package:\n{why}").format(
                why=done.stderr.strip()
            )
        )
    found: list[dict[str, object]] = json.loads(done.stdout)
    return found


def solvable(
    archive: bytes,
    solutions: Mapping[tuple[str, str], str],
    given: Mapping[str, Sequence[str]],
    points: Mapping[tuple[str, str], int],
) -> set[tuple[str, str]]:
    """Return which of the exercises, by lesson and name, have a solution that gets all points there."""
    same = {"ask": "check", "language": "en"}
    asked = [
        {**same, "lesson": lesson, "exercise": name, "text": text, "given": list(given[lesson])}
        for (lesson, name), text in solutions.items()
    ]
    found = answered(archive, asked)
    return {
        each for each, answer in zip(solutions, found, strict=True) if answer.get("points") == points[each]
    }
