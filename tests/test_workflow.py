"""The CI workflow is what GitHub accepts, and asks for no more than it needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def workflow(root: Path) -> Path:
    return root / ".github" / "workflows" / "ci.yml"


def validate(path: Path) -> subprocess.CompletedProcess[str]:
    options = ["--builtin-schema", "vendor.github-workflows", str(path)]
    command = [sys.executable, "-m", "check_jsonschema", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_workflow_follows_the_schema(workflow: Path) -> None:
    result = validate(workflow)
    assert result.returncode == 0, result.stdout


def test_the_schema_refuses_a_broken_workflow(workflow: Path, tmp_path: Path) -> None:
    broken = tmp_path / "ci.yml"
    broken.write_text(workflow.read_text(encoding="utf-8").replace("runs-on:", "run-on:"), encoding="utf-8")
    assert validate(broken).returncode != 0


def test_the_test_files_that_the_workflow_names_exist(root: Path, workflow: Path) -> None:
    words = workflow.read_text(encoding="utf-8").split()
    named = [word for word in words if word.startswith("tests/test_")]
    assert named
    assert [name for name in named if not (root / name).is_file()] == []


def test_the_workflow_only_reads_the_repository(workflow: Path) -> None:
    assert "permissions:\n  contents: read\n" in workflow.read_text(encoding="utf-8")
