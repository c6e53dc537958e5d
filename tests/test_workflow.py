"""The CI workflow is what GitHub accepts, and asks for no more than it needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def workflow(root: Path) -> Path:
    return root / ".github" / "workflows" / "ci.yml"


def validate(path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_workflow_follows_the_schema(root: Path) -> None:
    result = validate(workflow(root))
    assert result.returncode == 0, result.stdout


def test_the_schema_refuses_a_broken_workflow(root: Path, tmp_path: Path) -> None:
    broken = tmp_path / "ci.yml"
    broken.write_text(workflow(root).read_text(encoding="utf-8").replace("runs-on:", "run-on:"), encoding="utf-8")
    assert validate(broken).returncode != 0


def test_the_test_files_that_the_workflow_names_exist(root: Path) -> None:
    named = [word for word in workflow(root).read_text(encoding="utf-8").split() if word.startswith("tests/test_")]
    assert named
    assert [name for name in named if not (root / name).is_file()] == []


def test_the_workflow_only_reads_the_repository(root: Path) -> None:
    assert "permissions:\n  contents: read\n" in workflow(root).read_text(encoding="utf-8")
