"""requirements.lock holds what requirements.txt asks for, with hashes, and docs/licences.md says under which licences."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, requires

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from licences import LIST, LOCK, locked
from places import ROOT

LINE = re.compile(r"([\w.-]+)==([\w.+!]+)(?: ; (.+?))? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)")


@pytest.fixture(scope="module")
def asked() -> list[Requirement]:
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def closure(asked: list[Requirement]) -> set[str]:
    """The names of all that these need on this machine."""
    found: set[str] = set()
    todo = [
        (r.name, extra) for r in asked if r.marker is None or r.marker.evaluate() for extra in ("", *r.extras)
    ]
    while todo:
        name, extra = todo.pop()
        try:
            needed = requires(name) or []
        except PackageNotFoundError:  # another build of torch asks for other packages
            continue
        found.add(canonicalize_name(name))
        for r in map(Requirement, needed):
            if (r.marker is None or r.marker.evaluate({"extra": extra})) and canonicalize_name(
                r.name
            ) not in found:
                todo += [(r.name, extra) for extra in ("", *r.extras)]
    return found


def test_each_package_is_locked_with_its_hashes():
    assert len(LINE.findall(LOCK.read_text("utf-8"))) == len(locked()) > 100


def test_what_is_pinned_is_locked_in_the_same_version(asked):
    held = {tuple(package.split("==")) for package in locked()}
    pinned = {(canonicalize_name(r.name), str(r.specifier).removeprefix("==")) for r in asked}
    assert pinned - held == set()


def test_what_those_need_in_turn_is_locked(asked):
    assert closure(asked) - {package.split("==")[0] for package in locked()} == set()


def test_each_licence_is_listed():
    listed = re.findall(r"^\| (\S+) (\S+) \| (.+) \|$", LIST.read_text("utf-8"), re.MULTILINE)
    assert [f"{name}=={version}" for name, version, licence in listed if licence.strip()] == locked()
