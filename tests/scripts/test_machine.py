"""What a container, a Slurm job or a slice of systemd leaves to this process, against made-up cgroups of both versions."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loaderlab.scripts import machine

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
GIB = 2**30


@pytest.fixture
def cgroups(tmp_path: Path) -> tuple[Path, Path]:
    """Where the groups are mounted, and which are this process's: a step of a job, in both versions."""
    membership = tmp_path / "membership"
    membership.write_text("4:memory:/batch/job\n3:cpuacct,cpu:/batch/job\n0::/slurm/job/step\n")
    return tmp_path / "cgroup", membership


def write(files: dict[str, str], root: Path) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{text}\n")


QUOTAS = {
    "none": ({"cpu.max": "max 100000"}, CORES),
    "of the container": ({"cpu.max": "50000 100000"}, 0.5),
    "of its own group": ({"slurm/job/step/cpu.max": "75000 100000"}, 0.75),
    "of a group above": ({"slurm/cpu.max": "50000 100000", "slurm/job/step/cpu.max": "75000 100000"}, 0.5),
    "of a group that is not above it": ({"slurm/other/cpu.max": "10000 100000"}, CORES),
    "v1, none": ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, CORES),
    "v1, of the container": ({"cpu/cpu.cfs_quota_us": "25000", "cpu/cpu.cfs_period_us": "50000"}, 0.5),
    "v1, of a group above": (
        {"cpu/batch/cpu.cfs_quota_us": "25000", "cpu/batch/cpu.cfs_period_us": "100000"},
        0.25,
    ),
}


@pytest.mark.parametrize(("files", "expected"), QUOTAS.values(), ids=QUOTAS)
def test_the_tightest_quota_of_cpus_counts(
    cgroups: tuple[Path, Path], files: dict[str, str], expected: float
) -> None:
    write(files, cgroups[0])
    assert machine.usable_cores(*cgroups) == expected
    assert machine.cores(*cgroups) == max(1, round(expected))


def test_a_quota_of_one_and_a_half_cores_is_two_workers_at_most(
    cgroups: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(range(64)), raising=False)
    write({"slurm/job/cpu.max": "150000 100000"}, cgroups[0])
    assert (machine.usable_cores(*cgroups), machine.cores(*cgroups)) == (1.5, 2)


LIMITS = {
    "none": ({"memory.max": "max"}, None, None),
    "of the container": ({"memory.max": str(4 * GIB), "memory.current": str(GIB)}, 4 * GIB, 3 * GIB),
    # The own group allows more, and has more left, than one above it.
    "of a group above": (
        {
            "slurm/memory.max": str(4 * GIB),
            "slurm/memory.current": str(3 * GIB),
            "slurm/job/step/memory.max": str(6 * GIB),
            "slurm/job/step/memory.current": str(GIB),
        },
        4 * GIB,
        GIB,
    ),
    # The tightest limit is not where least is left.
    "of a neighbour of the same job": (
        {
            "slurm/job/memory.max": str(8 * GIB),
            "slurm/job/memory.current": str(7 * GIB),
            "slurm/job/step/memory.max": str(4 * GIB),
            "slurm/job/step/memory.current": str(GIB),
        },
        4 * GIB,
        GIB,
    ),
    "v1, none": ({"memory/memory.limit_in_bytes": "9223372036854771712"}, None, None),
    "v1, of a group above": (
        {
            "memory/batch/memory.limit_in_bytes": str(4 * GIB),
            "memory/batch/memory.usage_in_bytes": str(GIB),
        },
        4 * GIB,
        3 * GIB,
    ),
}


@pytest.mark.parametrize(("files", "limit", "left"), LIMITS.values(), ids=LIMITS)
def test_the_tightest_limit_of_memory_counts(
    cgroups: tuple[Path, Path], files: dict[str, str], limit: int | None, left: int | None
) -> None:
    write(files, cgroups[0])
    assert (machine.memory_limit(*cgroups), machine.memory_left(*cgroups)) == (limit, left)


def test_a_system_without_cgroups_limits_nothing(tmp_path: Path) -> None:
    nowhere = (tmp_path / "none", tmp_path / "no membership")
    assert machine.usable_cores(*nowhere) == machine.cores(*nowhere) == CORES
    assert machine.memory_limit(*nowhere) is None and machine.memory_left(*nowhere) is None
