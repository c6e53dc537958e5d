"""Write docs/findings.md: every finding of `diagnose` with an example of what it says, the cure, and the test that brings it about.

The examples are those of the tests: evidence made by hand, experiments that fail, and loaders that are wrong. The last
are run, in seconds.

Command: python tools/findings.py
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

from loaderlab.scripts.diagnosis import picture
from loaderlab.scripts.diagnosis.decision import decide
from loaderlab.scripts.diagnosis.evidence import Evidence, Trouble
from loaderlab.scripts.diagnosis.faults import faults
from loaderlab.scripts.diagnosis.finding import ARGUMENTS, Finding, Kind
from loaderlab.scripts.diagnosis.kinds import KINDS, failure, fault, slowness
from loaderlab.scripts.diagnosis.report import Diagnosis
from zoo.evidence import CASES, FAILURES, GOOD
from zoo.slow import HEALTHY, SICK
from zoo.wrong import IN_RANK_2, WRONG

PAGE = Path(__file__).parents[1] / "docs" / "findings.md"
SECONDS = 60.0  # for the wrong loaders, none of which takes as long
TRAINING = "for batch in loader: model(batch).backward()"
HEAD = """# What `diagnose` can find

Every finding with an example of the report, what cures it, and the test that brings it about. The examples are those of the tests, so
their figures are nobody's measurements. [Scripts to take home](scripts.md) says how to ask. This page is written by `python tools/findings.py`.
"""
ROOMS = {
    "What takes time or memory": slowness,
    "What ends the experiment": failure,
    "What is learned or counted wrongly": fault,
}


def page(examples: dict[str, str]) -> str:
    """Return the page, given the example of each kind."""
    parts = [HEAD]
    for title, room in ROOMS.items():
        parts.append(f"## {title}\n")
        parts += [section(one, examples[one.name]) for one in KINDS.values() if one in vars(room).values()]
    return "\n".join(parts)


def section(one: Kind[Any], example: str) -> str:
    """Return what the page says of one kind."""
    certain = "" if one.certain else " A question, where the training's program is not known."
    tests = " and ".join(_tests(one.name))
    return f"### `{one.name}`\n\n{one.about}{certain}\n\n```text\n{example}\n```\n\n{_cure(one)} Tests: {tests}.\n"


def _cure(one: Kind[Any]) -> str:
    if one.cure is None:
        return "No code is advised: what it says is what there is to do."
    if one.cure == ARGUMENTS:
        return "The arguments are those that the report finds for your loader."
    return "The code is made for your loader."


def _tests(name: str) -> Iterator[str]:
    if name in CASES or any(name == said for _experiment, _outcome, said in FAILURES):
        yield "`tests/scripts/test_decision.py`"
    if name in IN_RANK_2 or any(name == said for _wrong, said, _right in WRONG.values()):
        yield "`tests/scripts/test_faults.py`"
    animals = [animal for animal, about in {**SICK, **HEALTHY}.items() if about.expected == name]
    if animals:
        yield "`tests/scripts/test_zoo.py` (" + ", ".join(animals) + ")"


def decided() -> dict[str, str]:
    """Return the examples that need no loader: by kind, what is said of evidence and of failures made by hand."""
    found = {name: _said(evidence, decide(evidence), name) for name, evidence in CASES.items()}
    for experiment, outcome, name in FAILURES:
        method = "spawn" if name == "unpicklable" else "fork"
        broken = replace(GOOD, method=method, share=0.2, troubles=(Trouble(experiment, 0, outcome, 6.0),))
        found.setdefault(name, _said(broken, decide(broken), name))
    return found


def _said(evidence: Evidence, findings: list[Finding], name: str) -> str:
    one = next(finding for finding in findings if finding.name == name)
    said = Diagnosis((one,), evidence).text(everything=True)
    # The drawing is for what was measured.
    return (said.replace(picture.text(evidence), "") if evidence.rate else said).rstrip().removeprefix("1. ")


def wrong() -> dict[str, str]:
    """Return the examples of wrong loaders: by kind, the first one that the tests have."""
    found: dict[str, str] = {}
    for title, (make, name, _right) in WRONG.items():
        if name not in found:
            found[name] = f"# {title}\n" + _said(GOOD, faults(make(), SECONDS, TRAINING), name)
    os.environ.update(RANK="2", WORLD_SIZE="4")
    for name, make in IN_RANK_2.items():
        found[name] = "# in rank 2 of 4\n" + _said(GOOD, faults(make(), SECONDS, TRAINING), name)
    return found


if __name__ == "__main__":
    PAGE.write_text(page(decided() | wrong()), encoding="utf-8")
