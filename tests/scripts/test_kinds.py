"""The registry of findings: nothing is said that is not in it, and each kind in it is brought about by a test."""

from __future__ import annotations

import re
from pathlib import Path

import findings
from loaderlab.scripts.diagnosis.kinds import KINDS, failure, fault, slowness, table
from places import ROOT
from zoo.evidence import CASES, FAILURES
from zoo.slow import HEALTHY, SICK
from zoo.wrong import IN_RANK_2, WRONG


def test_each_kind_is_brought_about_by_a_test_and_no_test_expects_another() -> None:
    """These tables are what the tests of the decision and of the faults go through."""
    tested = {*CASES, *(name for _experiment, _outcome, name in FAILURES)}
    tested |= {*IN_RANK_2, *(name for _wrong, name, _right in WRONG.values())}
    assert set(KINDS) == tested
    assert {animal.expected for animal in (*SICK.values(), *HEALTHY.values())} <= set(KINDS)


def test_a_name_stands_for_one_kind() -> None:
    """A second function of the same name would hide the first: its name is public."""
    sources = [Path(room.__file__).read_text("utf-8") for room in (slowness, failure, fault)]
    pattern = re.compile(r"^@kind\((?:.|\n)*?^def (\w+)\(|^(\w+) = (?:slow|wrong)\(", re.MULTILINE)
    assert [one or other for one, other in pattern.findall("\n".join(sources))] == list(KINDS)


def test_the_documentation_has_all_kinds() -> None:
    page = (ROOT / "docs" / "scripts.md").read_text("utf-8")
    assert f"<!-- kinds:begin -->\n{table()}\n<!-- kinds:end -->" in page
    assert table().count("\n") == len(KINDS) + 1
    assert all(one.about.endswith(".") and "|" not in one.about for one in KINDS.values())


def test_the_page_of_findings_has_an_example_of_each_kind() -> None:
    """Those of wrong loaders stand as they were said when the page was written: `python tools/findings.py` runs them."""
    page = findings.PAGE.read_text("utf-8")
    assert re.findall(r"^### `(\w+)`$", page, re.MULTILINE) == list(KINDS)
    assert all(f"### `{name}`\n\n{one.about}" in page for name, one in KINDS.items())
    assert [
        name for name, said in findings.decided().items() if findings.section(KINDS[name], said) not in page
    ] == []
