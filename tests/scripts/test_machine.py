"""What a container, a Slurm job or a slice of systemd leaves to this process, against made-up cgroups of both versions."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from loaderlab.scripts import machine

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
GIB = 2**30
ROOT = Path(__file__).parents[2]


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
        {"memory/batch/memory.limit_in_bytes": str(4 * GIB), "memory/batch/memory.usage_in_bytes": str(GIB)},
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


HOST = 128  # cores, and eight ranks
TORCHRUN = {"LOCAL_WORLD_SIZE": "8"}
# How the ranks of a host are started; what this one is bound to, and what started it; how many have told that they take from
# the same cores (`same`), and how many from others; workers of each.
STARTED: dict[str, tuple[dict[str, Any], int]] = {
    "`torchrun`": ({"env": TORCHRUN}, 16),
    "`torchrun` in a job or a container of 32 cores": ({"env": TORCHRUN, "own": 32, "launcher": 32}, 4),
    "`torchrun` in a container with a quota of 32 cores": ({"env": TORCHRUN, "quota": 32.0}, 4),
    "`torchrun --numa-binding=exclusive`": ({"env": TORCHRUN, "own": 16}, 16),
    "`torchrun --numa-binding=node`, two nodes": ({"env": TORCHRUN, "own": 64}, 16),
    "`torchrun` by `srun`": ({"env": TORCHRUN | {"SLURM_STEP_TASKS_PER_NODE": "1(x4)"}}, 16),
    "`srun`": ({"env": {"SLURM_STEP_TASKS_PER_NODE": "8(x2)", "SLURM_NODEID": "1"}}, 16),
    "`srun` with four tasks on this node": (
        {"env": {"SLURM_STEP_TASKS_PER_NODE": "8(x2),4", "SLURM_NODEID": "2"}},
        32,
    ),
    "`srun --cpus-per-task=16`": ({"env": {"SLURM_STEP_TASKS_PER_NODE": "8"}, "own": 16}, 16),
    "`mpirun`, `mpiexec`, `jsrun` (Open MPI, MPICH, Intel MPI, MVAPICH, PALS)": (
        {"any": machine.STARTED_HERE},
        16,
    ),
    "by hand, then `init_process_group`": ({"same": 8}, 16),
    "each bound to 16 cores by `numactl` or `taskset`": ({"same": 1, "others": 7, "own": 16}, 16),
    "all bound to the same 16 cores": ({"env": TORCHRUN, "same": 8, "own": 16}, 2),
    "four bound to each of two nodes": ({"same": 4, "others": 4, "own": 64}, 16),
    "one container per rank, with 16 cores": ({"same": 1, "others": 7, "own": 16, "launcher": 16}, 16),
    "one container per rank, with a quota of 12 cores": ({"same": 8, "quota": 12.0}, 12),
    "one container per rank, without a limit": ({"same": 8}, 16),
    "a mesh with one data-parallel rank per host": ({"env": TORCHRUN, "same": 1}, 16),
}


@pytest.mark.parametrize("case", STARTED)
def test_a_rank_has_its_share_of_the_cores_that_it_may_use(
    case: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    how, each = STARTED[case]
    own, launcher = how.get("own", HOST), how.get("launcher", HOST)
    quotas = [(tmp_path, how["quota"])] if "quota" in how else []
    monkeypatch.setattr(machine, "_bound", lambda process=0: set(range(launcher if process else own)))
    monkeypatch.setattr(machine, "_quotas", lambda _root, _membership: quotas)
    mine = machine.pools()
    bound, cores = next(iter(mine.items()))
    host, mask = bound.split()
    everyone = [mine, *[{bound: cores}] * (how["same"] - 1)] if "same" in how else []
    everyone += [{f"{host} {mask}0{k}": cores} for k in range(how.get("others", 0))]
    everyone += [{f"another {mask}": cores}] * 3  # of another host
    for settings in [{name: "8"} for name in how.get("any", ())] or [how.get("env", {})]:
        with monkeypatch.context() as launcher_says:
            for name, value in settings.items():
                launcher_says.setenv(name, value)
            assert machine.workers(everyone=everyone) == each, settings
            assert machine.workers(accelerator=True, everyone=everyone) == each - (each > machine.FEW)


def test_the_table_of_the_documentation_is_what_is_tested() -> None:
    text = (ROOT / "docs" / "scripts.md").read_text("utf-8")
    rows = re.findall(r"^\| (.+?) \| (\d+)\b.* \|$", text.split("| eight ranks on a host")[1], re.MULTILINE)
    assert {name: int(each) for name, each in rows[: len(STARTED)]} == {
        name: each for name, (_how, each) in STARTED.items()
    }


def test_two_processes_bound_to_other_cores_take_from_other_pools() -> None:
    """For real: what a child that is bound to one core names is not what this process names, unless that has only the one."""
    if not hasattr(os, "sched_setaffinity") or CORES < 2:
        pytest.skip("needs two cores, and Linux")
    before = os.sched_getaffinity(0)
    names = []
    try:
        for core in sorted(before)[:2]:
            os.sched_setaffinity(0, {core})
            names.append(next(iter(machine.pools())))
            assert machine.usable_cores() <= 1
    finally:
        os.sched_setaffinity(0, before)
    assert len({*names, next(iter(machine.pools()))}) == 3 and len({name.split()[0] for name in names}) == 1


def test_a_quota_is_named_after_its_group(cgroups: tuple[Path, Path]) -> None:
    write({"slurm/cpu.max": "50000 100000", "slurm/job/step/cpu.max": "75000 100000"}, cgroups[0])
    bound, *quotas = machine.pools(*cgroups).items()
    assert bound[1] == CORES and sorted(cores for _name, cores in quotas) == [0.5, 0.75]
    assert quotas[0][0] != quotas[1][0] and machine.pools(*cgroups) == dict([bound, *quotas])
