"""The workflows are what GitHub accepts, and ask for no more than they need."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from places import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.fixture(params=WORKFLOWS, ids=lambda path: path.stem)
def workflow(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def validate(*paths: Path, schema: str = "github-workflows") -> subprocess.CompletedProcess[str]:
    options = ["--builtin-schema", f"vendor.{schema}", *map(str, paths)]
    command = [sys.executable, "-m", "check_jsonschema", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_workflows_follow_the_schema_which_refuses_broken_ones(tmp_path: Path) -> None:
    followed = validate(*WORKFLOWS)
    assert followed.returncode == 0, followed.stdout
    for path in WORKFLOWS:
        broken = path.read_text(encoding="utf-8").replace("runs-on:", "run-on:")
        (tmp_path / path.name).write_text(broken, encoding="utf-8")
    refused = validate(*tmp_path.iterdir())
    assert refused.returncode != 0
    assert all(f"{path.name}::" in refused.stdout for path in WORKFLOWS), refused.stdout


def test_the_test_files_that_the_workflow_names_exist(root: Path) -> None:
    words = (root / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8").split()
    named = {word for word in words if word.startswith("tests/")} - {"tests/screenshots"}  # which a run makes
    assert named
    assert [name for name in named if not (root / name).exists()] == []


def test_actions_are_pinned_by_commit_and_leave_no_credentials_behind(workflow: Path) -> None:
    text = workflow.read_text(encoding="utf-8")
    pinned = re.findall(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+\n", text)
    assert pinned and len(pinned) == text.count("uses: ")
    assert text.count("actions/checkout@") == text.count("persist-credentials: false\n")


def test_every_list_of_pins_has_an_updater() -> None:
    done = validate(ROOT / ".github" / "dependabot.yml", schema="dependabot")
    assert done.returncode == 0, done.stdout
    text = (ROOT / ".github" / "dependabot.yml").read_text(encoding="utf-8")
    updated = re.findall(r"package-ecosystem: ([\w-]+)\n +director(?:y|ies): (.+)\n", text)
    assert updated == [("github-actions", "/"), ("pip", "[/, /docs/site]"), ("npm", "/docs/site")]


def test_the_workflow_only_reads_the_repository(workflow: Path) -> None:
    assert "permissions:\n  contents: read\n" in workflow.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("says", "on"), [("echo workflow", "true"), ("echo legacy", "false"), ("echo Not Found; exit 1", "false")]
)
def test_the_website_is_published_from_every_repository_whose_owner_switched_it_on(
    root: Path, tmp_path: Path, says: str, on: str
) -> None:
    text = (root / ".github" / "workflows" / "site.yml").read_text(encoding="utf-8")
    script = re.search(r"run: \|\n((?: {10}.*\n)+)", text)
    assert script and "your_name" not in text
    gh = tmp_path / "gh"
    gh.write_text(f'#!/bin/sh\n[ "$2" = repos/some-one/fork/pages ] || exit 2\n{says}\n')
    gh.chmod(0o755)
    environment = {
        "GITHUB_REPOSITORY": "some-one/fork",
        "GITHUB_OUTPUT": "said",
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
    }
    done = subprocess.run(
        ["bash", "-ec", script[1]], cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
    )
    assert (tmp_path / "said").read_text() == f"on={on}\n"
    assert ("Settings, Pages" in done.stdout) == (on == "false")
