"""The resources of this process: its cores, and how much memory a tree of processes takes."""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

CGROUPS = Path("/sys/fs/cgroup")
MEMBERSHIP = Path("/proc/self/cgroup")
BOOT = Path("/proc/sys/kernel/random/boot_id")
FEW = 4  # cores of a rank, all of which its workers get
UNLIMITED = 2**62  # cgroup v1 writes "no limit" as the largest number of whole pages, near 2**63
# In which other launchers than torchrun and Slurm say how many ranks they started on this host: Open MPI, MPICH and Intel
# MPI, MVAPICH, PALS, jsrun.
STARTED_HERE = (
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "MPI_LOCALNRANKS",
    "PMI_LOCAL_SIZE",
    "MV2_COMM_WORLD_LOCAL_SIZE",
    "PALS_LOCAL_SIZE",
    "JSM_NAMESPACE_LOCAL_SIZE",
)


def pools(root: Path = CGROUPS, membership: Path = MEMBERSHIP) -> dict[str, float]:
    """Return what this process takes its cores from, and how many it may use of each: the set to which it is bound (its affinity,
    the first), and the CPU quotas of its cgroup and of those above.

    Processes that name the same share it, on one kernel, in whichever containers they are: two bound to other cores share
    nothing, two in containers with a quota of their own only the cores.
    """
    host, bound = _text(BOOT) or socket.gethostname(), _bound()
    found = {f"{host} {sum(1 << core for core in bound):x}": float(len(bound))}
    for group, quota in _quotas(root, membership):
        about = group.stat()
        found[f"{host} {about.st_dev}:{about.st_ino}"] = quota
    return found


def _bound(process: int = 0) -> set[int]:
    """Return the cores to which a process is bound; this one, if not said."""
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(process)
    return set(range(os.cpu_count() or 1))


def usable_cores(root: Path = CGROUPS, membership: Path = MEMBERSHIP) -> float:
    """Cores this process may use at once: affinity, and the tightest CPU quota of its cgroup and of those above.

    ``os.cpu_count()`` reports what the hardware has; a container with a quota of 2 on 64 cores still says 64.
    ``root`` is where cgroup v2 or v1 is mounted, ``membership`` lists the groups of this process. May be fractional
    (a quota of 1.5 cores).
    """
    return min(pools(root, membership).values())


def cores(root: Path = CGROUPS, membership: Path = MEMBERSHIP) -> int:
    """`usable_cores` as a number of processes: rounded, at least one."""
    return max(1, round(usable_cores(root, membership)))


def memory_limit(root: Path = CGROUPS, membership: Path = MEMBERSHIP) -> int | None:
    """Return the bytes that the cgroup of this process, or the tightest of those above, allows it; None where none sets a limit."""
    return min((limit for limit, _taken in _memory(root, membership)), default=None)


def memory_left(root: Path = CGROUPS, membership: Path = MEMBERSHIP) -> int | None:
    """Return the bytes that this process may still take before its cgroup, or one above, is full; None where none sets a limit."""
    left = [limit - int(_text(taken) or 0) for limit, taken in _memory(root, membership)]
    return min(left, default=None)


def _quotas(root: Path, membership: Path) -> Iterator[tuple[Path, float]]:
    """Yield each group with a quota, and how many cores that is."""
    for group in _own_groups(root, "", membership):
        quota, period = (_text(group / "cpu.max") or "max 1").split()[:2]
        if quota != "max":
            yield group, int(quota) / int(period)
    for group in _own_groups(root / "cpu", "cpu", membership):
        old = int(_text(group / "cpu.cfs_quota_us") or -1)
        if old > 0:
            yield group, old / int(_text(group / "cpu.cfs_period_us") or 100_000)


def _memory(root: Path, membership: Path) -> Iterator[tuple[int, Path]]:
    """Yield each limit in bytes, and the file that says how much of it is taken."""
    for group in _own_groups(root, "", membership):
        limit = _text(group / "memory.max") or "max"
        if limit != "max":
            yield int(limit), group / "memory.current"
    for group in _own_groups(root / "memory", "memory", membership):
        old = int(_text(group / "memory.limit_in_bytes") or UNLIMITED)
        if old < UNLIMITED:
            yield old, group / "memory.usage_in_bytes"


def _own_groups(root: Path, controller: str, membership: Path) -> list[Path]:
    """Return this process's own group in the mounted hierarchy, and those above: the tightest limit counts.

    ``controller`` is one of cgroup v1, or "" for v2.
    """
    groups = [root]
    for line in (_text(membership) or "").splitlines():
        _number, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            own = root / path.lstrip("/")
            groups += [folder for folder in [own, *own.parents] if root in folder.parents]
    return groups


def _text(file: Path) -> str | None:
    """Return the file's contents; None where the system has no such file, or does not let us read it."""
    try:
        return file.read_text().strip()
    except OSError:
        return None


def workers(accelerator: bool = False, everyone: Sequence[Mapping[str, float]] = ()) -> int:
    """Workers for this rank: of each of its `pools`, the same for every rank that takes from it. At least one.

    ``everyone`` is what the ranks have told each other of their pools (`ranks.told`). Where not all ranks of this host are among
    them, as before there is a process group, the launcher says how many there are; ranks that it has bound to fewer cores
    than it has itself are taken to be dealt out evenly over these.

    Where the training feeds an ``accelerator``, the process of each rank launches its work, and a thread there pins the
    batches: of more than FEW cores, they get one.
    """
    own = pools()
    bound = next(iter(own))
    host = f"{bound.split()[0]} "
    sharers = Counter(name for one in everyone for name in one)
    here = sum(any(name.startswith(host) for name in one) for one in everyone)
    if here < (started := _started_here()):
        estimate = dict.fromkeys(own, started)
        estimate[bound] = round(started * own[bound] / _launchers_cores())
        sharers |= Counter(estimate)
    each = min(max(1, round(share)) // max(1, sharers[name]) for name, share in own.items())
    return max(1, each - (accelerator and each > FEW))


def _launchers_cores() -> int:
    """Return how many cores the process that started this one may use, of which it may have bound this one to a few."""
    try:
        return max(len(_bound(os.getppid())), len(_bound()))
    except OSError:  # it has ended
        return len(_bound())


def _started_here() -> int:
    """Return how many ranks a launcher says that it started on this host; 1 where none did."""
    if "LOCAL_WORLD_SIZE" in os.environ:
        return int(os.environ["LOCAL_WORLD_SIZE"])
    counts = [os.environ.get(name, "1") for name in STARTED_HERE]
    # Of each node, as in "8(x2),4": 8 on the first two and 4 on the third. Only what srun started has it.
    nodes: list[str] = []
    for part in os.environ.get("SLURM_STEP_TASKS_PER_NODE", "").split(","):
        count, _x, times = part.rstrip(")").partition("(x")
        nodes += [count] * int(times or 1)
    counts += nodes[int(os.environ.get("SLURM_NODEID", "0")) :][:1]
    return max(int(count) for count in counts if count.isdecimal())


@contextmanager
def deaf() -> Iterator[None]:
    """Keep Ctrl-C from processes that start meanwhile: it is for the one that started them, and that one ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def frozen() -> Iterator[None]:
    """Keep the garbage collector of processes that fork meanwhile away from what this one has: it writes into all that it visits.

    Each page that it writes into becomes a copy; after the import of torch that was 67 MiB with two workers. In this process
    the collector goes on as before (https://docs.python.org/3/library/gc.html#gc.freeze).
    """
    if gc.get_freeze_count():  # whoever froze something does not want it back
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def quiet(_worker: int) -> None:
    """Quieten a worker: one that is stopped while it takes a batch hangs up, of which multiprocessing would print a traceback."""
    usual = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not issubclass(kind, (EOFError, ConnectionError)):
            usual(kind, error, trace)

    sys.excepthook = hook


def tree_bytes(pid: int | None = None) -> int | None:
    """Memory of a process and all that it has started (PSS: what is shared counts once); None where not known."""
    pid, total = pid or os.getpid(), 0
    for number in [pid, *_below(pid)]:
        try:
            lines = Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()
            total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024
        except (OSError, StopIteration):
            if number == pid:
                return None
    return total


def _below(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            for child in map(int, task.read_text().split()):
                found += [child, *_below(child)]
        except OSError:
            continue
    return found
