"""Answers that mean harm: each gets a clear row, all others are graded as if they were alone, and nothing is left."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import psutil
import pytest

from handed_in import hand_in, solutions, student
from loaderlab import course
from loaderlab.exercises.probing import Probe
from loaderlab.i18n import language
from loaderlab.teaching.grading import bubblewrap, judging, limits, run, slots, submission
from places import ROOT
from processes import children
from sandbox import bubblewrap_starts

pytestmark = [pytest.mark.long, pytest.mark.minutes(3)]

confined = pytest.mark.skipif(not bubblewrap_starts(), reason="Bubblewrap does not start here.")
RIGHT = "    return -(-samples // batch_size)\n"
HEAD = "def number_of_batches(samples, batch_size):\n"
POINTS = 2

FORGES = """import os, sys
def forge(text):
    frame = sys._getframe()
    while not {'sink', 'token'} <= frame.f_locals.keys(): frame = frame.f_back
    os.write(frame.f_locals['sink'], (frame.f_locals['token'] + text + '\\n').encode())
    os._exit(0)
"""

# name -> (what the cell holds, the statuses that it may get, its points)
FUNCTIONS = {
    "loops for ever": (HEAD + "    while True: pass\n", {"time"}, 0),
    "loops, deaf to the alarm": (
        HEAD + "    while True:\n        try:\n            while True: pass\n        except BaseException: pass\n",
        {"time"},
        0,
    ),
    "leaves a sleeping child": (
        "import subprocess\n" + HEAD + "    subprocess.Popen(['sleep', '18274651'], start_new_session=True)\n" + RIGHT,
        {"graded"},
        POINTS,
    ),
    "fork bomb": ("import os\n" + HEAD + "    while True:\n        os.fork()\n", {"graded", "time", "memory", "raised"}, 0),
    "patient fork bomb": (
        "import os\n" + HEAD + "    while True:\n        try:\n            os.fork()\n        except OSError:\n            pass\n",
        {"time", "memory", "crashed"},
        0,
    ),
    "allocates 50 GB": (HEAD + "    return len(bytearray(50 * 10**9))\n", {"graded", "raised"}, 0),
    "allocates a tensor of 50 GB": ("import torch\n" + HEAD + "    torch.ones(50 * 10**9 // 4)\n" + RIGHT, {"graded", "raised"}, 0),
    "prints 200 MB": (HEAD + "    for _ in range(2): print('x' * 2 * 10**6)\n" + RIGHT, {"graded"}, POINTS),
    "returns 1 MB whenever it is asked": (HEAD + "    return 'x' * 10**6\n", {"evidence"}, 0),
    "writes a file of 1 GB": (
        HEAD + "    with open('big', 'wb') as f:\n        f.seek(10**9)\n        f.write(b'x')\n" + RIGHT,
        {"graded", "crashed", "raised"},
        0,
    ),
    "may fill buffers that are in no process": (
        "import os, resource, time\n" + HEAD + "    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))\n"
        "    for _ in range(5):\n        if os.fork() == 0:\n            files = [os.dup(0) for _ in range(4000)]\n"
        "            time.sleep(60)\n    time.sleep(60)\n",
        {"memory"},
        0,
    ),
    "ends its process": ("import os\n" + HEAD + "    os._exit(0)\n", {"silent"}, 0),
    "ends with the status of success, at once": ("import os\nos._exit(0)\n" + HEAD + RIGHT, {"silent"}, 0),
    "kills its parents": (
        "import os, signal\nfor _ in range(2):\n    try: os.kill(os.getppid() or 1, signal.SIGKILL)\n    except OSError: pass\n"
        + HEAD + RIGHT,
        {"graded", "silent", "crashed"},
        None,
    ),
    "crashes": ("import ctypes\n" + HEAD + "    ctypes.string_at(0)\n", {"crashed"}, 0),
    "is equal to everything": (
        "class Any(int):\n    def __eq__(self, other): return True\n    def __ne__(self, other): return False\n"
        "    def __hash__(self): return 0\n    def __lt__(self, other): return False\n"
        "    def __repr__(self): return '3'\n" + HEAD + "    return Any(7)\n",
        {"graded"},
        0,
    ),
    "patches json": (
        "import json, json.encoder\njson.dumps = lambda *a, **k: '3'\njson.loads = lambda *a, **k: 3\n"
        "json.JSONEncoder.encode = lambda self, o: '{}'\n" + HEAD + "    return 7\n",
        {"graded"},
        0,
    ),
    "patches builtins": (
        "import builtins\nbuiltins.isinstance = lambda *a: True\nbuiltins.len = lambda x: 3\nbuiltins.sorted = None\n"
        + HEAD + RIGHT,
        {"graded"},
        POINTS,
    ),
    "patches builtins while it is probed": (
        "import builtins\n" + HEAD + "    builtins.dict = None\n" + RIGHT,
        {"tampered", "silent"},
        0,
    ),
    "patches loaderlab": (
        "import loaderlab.exercises.probing as p\np.plain = lambda value: 3\np.attempt = lambda *a: {'value': 3}\n"
        "p.collect.__code__ = (lambda probe, answer: {'status': 'probed', 'evidence': {}}).__code__\n"
        + HEAD + "    return 7\n",
        {"graded"},
        0,
    ),
    "patches torch": ("import torch\ntorch.equal = lambda *a: True\ntorch.utils.data.DataLoader = None\n" + HEAD + RIGHT, {"graded"}, POINTS),
    "replaces its probe": (
        "from loaderlab.lessons.start_here import probes\n"
        "for p in probes.PROBES:\n    object.__setattr__(p, 'run', lambda answer: {'forged': True})\n"
        "probes.Calls.probe = lambda self, answer: {'forged': True}\n" + HEAD + "    return 7\n",
        {"graded", "tampered", "unjudged"},
        0,
    ),
    "empties the table of calls": (
        "from loaderlab.lessons.start_here import probes\nprobes.COUNTS.arguments.clear()\n" + HEAD + "    return 7\n",
        {"graded"},
        0,
    ),
    "empties the table of its probe's calls": (
        "import gc\nfrom loaderlab.exercises.probing import Probe\n"
        "for p in gc.get_objects():\n    if type(p) is Probe: p.run.__self__.arguments.clear()\n"
        + HEAD + "    return 7\n",
        {"unjudged"},
        0,
    ),
    "makes millions of empty files": (
        "import os\n" + HEAD + "    for _ in range(3): os.fork()\n    os.mkdir(str(os.getpid()))\n    os.chdir(str(os.getpid()))\n"
        "    n = 0\n    while True:\n        open(str(n), 'w').close()\n        n += 1\n",
        {"memory", "raised", "graded", "time"},
        0,
    ),
    "writes where the evidence goes": (
        "import os\nfor n in range(3, 64):\n    try: os.write(n, b'{\"collected\": {\"status\": \"probed\"}}\\n')\n"
        "    except OSError: pass\n" + HEAD + "    return 7\n",
        {"forged"},
        0,
    ),
    "forges a status": (FORGES + HEAD + "    forge('{\"status\": \"x\", \"code\": \"x\"}')\n", {"unjudged"}, 0),
    "forges a list": (FORGES + HEAD + "    forge('[]')\n", {"forged"}, 0),
    "forges what is nested deeply": (FORGES + HEAD + "    forge('{\"collected\": ' + '[' * 900 + ']' * 900 + '}')\n", {"forged"}, 0),
    "prints what looks like a result": (
        "print('{\"collected\": {\"status\": \"probed\", \"points\": 2}}')\n" + HEAD + "    return 7\n",
        {"graded"},
        0,
    ),
    "raises SystemExit": (HEAD + "    raise SystemExit(0)\n", {"raised"}, 0),
    "is no Python": ("def number_of_batches(samples, batch_size:\n", {"undefined", "missing"}, 0),
    "defines another name": ("def number_of_batchs(samples, batch_size):\n" + RIGHT, {"undefined", "missing"}, 0),
    "goes on with a percent sign": (
        HEAD + "    full = samples // batch_size\n    return (full + bool(samples\n%  batch_size\n))\n", {"graded"}, POINTS
    ),
    "uses magics": ("%%time\n%matplotlib inline\n!ls\n" + HEAD + RIGHT, {"graded"}, POINTS),
}  # fmt: skip

# What only an answer that is apart cannot do: what each tries returns True where it succeeds.
ESCAPES = {
    "reads the solutions": """
        import glob, os
        lessons = os.path.dirname(loaderlab.__path__[0]) + '/loaderlab/lessons/start_here/'
        for place in (ROOT + '/solutions', ROOT + '/loaderlab/lessons/start_here/', ROOT + '/notebooks', lessons):
            if glob.glob(place + '/*.md') or glob.glob(place + '/ex*.py') or glob.glob(place + '/**/*.ipynb'): return True
        import importlib
        importlib.import_module('loaderlab.lessons.start_here.exercises')
    """,
    "writes outside its home": """
        import os
        for place in (sys.prefix, '/etc', '/usr', '/', os.path.dirname(os.__file__), loaderlab.__path__[0]):
            try: open(f'{place}/written-by-an-answer', 'w').close()
            except OSError: continue
            return True
    """,
    "opens a socket": """
        import socket
        for family, address in ((socket.AF_INET, ('1.1.1.1', 53)), (socket.AF_INET6, ('2606:4700::1111', 53))):
            try:
                with socket.socket(family, socket.SOCK_DGRAM) as s:
                    s.connect(address)
                    return True
            except OSError: pass
    """,
    "finds what others handed in in its own memory": """
        import re
        for line in open('/proc/self/maps'):
            begin, end, write = re.match('([^-]+)-([^ ]+) .(.)', line).groups()
            if write == 'w':
                try:
                    with open('/proc/self/mem', 'rb', 0) as memory:
                        memory.seek(int(begin, 16))
                        if re.search(b'hones[t] student', memory.read(int(end, 16) - int(begin, 16))): return True
                except (OSError, ValueError, OverflowError): continue
    """,
    "reads the environment of whoever grades": "    import os\n    return 'GRADERS_TOKEN' in os.environ\n",
    "sees other processes": "    import psutil\n    return len(psutil.pids()) > 4\n",
    "takes memory that nobody counts": """
        import ctypes, os
        libc = ctypes.CDLL('librt.so.1')
        if libc.mq_open(b'/left', os.O_CREAT | os.O_RDWR, 0o600, None) >= 0: return True
        libc = ctypes.CDLL(None)
        libc = ctypes.CDLL(None)
        if libc.shmget(0, 4096, 0o1600) >= 0: return True
        try: os.memfd_create('x')
        except OSError: return False
        return True
    """,
    "becomes root of a world of its own": """
        import ctypes, os
        libc = ctypes.CDLL(None)
        if libc.unshare(0x10000000) == 0: return True
        if os.uname().machine == 'x86_64' and (child := libc.syscall(56, 0x10000000 | 17, None)) >= 0:
            return os.waitpid(child, 0) if child else os._exit(0)
    """,
    "changes the system's settings": "    open('/proc/sys/kernel/core_pattern', 'r+').close()\n    return True\n",
    "looks into its slot": """
        import os
        for place in ('mem', 'environ', 'fd/0', 'fd/1', 'cwd'):
            try: os.close(os.open('/proc/1/' + place, os.O_RDONLY))
            except OSError: continue
            return True
    """,
    "stops or ends its slot": """
        import os
        for number in range(1, 65):
            if number in (32, 33): continue
            try: os.kill(1, number)
            except OSError: pass
    """,
    "has rights": """
        import os
        return os.geteuid() == 0 or int(next(
            line.split()[1] for line in open('/proc/self/status') if line.startswith('CapEff')), 16) != 0
    """,
}  # fmt: skip


BEGINS = slots._MAIN.rpartition("; ")[0]
OPEN = f"{BEGINS}; from loaderlab.teaching.grading import kernel; kernel.let_look_inside = lambda others: None; zygote.main()"
# layer -> (what takes it away, the escape that no other layer stops); in both cases the answer is no user of its own if `SAME`.
ALL_CALLS = (bubblewrap, "filter_of_calls", lambda: struct.pack("HBBI", 6, 0, 0, 0x7FFF0000))
THE_CHECKOUT = (bubblewrap, "_wanted", lambda shown=bubblewrap._wanted: [*shown(), ROOT])
THE_PACKAGE = (bubblewrap, "_wanted", lambda shown=bubblewrap._wanted: [*shown(), ROOT / "loaderlab"])
SAME = (bubblewrap, "is_any_user", lambda: False)
LAYERS = {
    "users of their own": ([], [SAME], "changes the system's settings"),
    "the filter of calls": ([], [ALL_CALLS], "becomes root of a world of its own"),
    "a checkout that is not shown": ([], [THE_CHECKOUT], "reads the solutions"),
    "a package that is hidden": (
        [THE_PACKAGE],
        [THE_PACKAGE, (slots, "PACKAGE", Path("/nowhere"))],
        "reads the solutions",
    ),
    "a slot that nobody looks into": ([SAME], [SAME, (slots, "_MAIN", OPEN)], "looks into its slot"),
}


def escaping(tries: str) -> str:
    """An answer that is right, unless what it tries succeeds."""
    body = tries if tries.startswith("    import") else tries.replace("\n        ", "\n    ")
    return (
        f"import functools, sys, loaderlab\nROOT = {str(ROOT)!r}\n@functools.cache\ndef escaped():\n{body}\n\n"
        + HEAD
        + ("    try:\n        if escaped(): return -1\n    except (ImportError, OSError): pass\n" + RIGHT)
    )


# Some of them burn all the CPU they get, and that of all others here, until their time is over: 4 s of 10, and 7 of 51, show as much.
SOONER = f"""{BEGINS}
from loaderlab.exercises import probing
from loaderlab.teaching.grading import watch
probing.time_limit = lambda seconds, limit=probing.time_limit: limit(min(seconds, 4))
watch.LONG = 4.0
zygote.main()
"""


@pytest.fixture(scope="module")
def class_room(tmp_path_factory: pytest.TempPathFactory):
    """All of them, handed in at once with ten honest neighbours, who come before those that try to get out; graded once."""
    if not hasattr(os, "fork"):
        pytest.skip("This system cannot fork.")
    language.use("en")
    folder = tmp_path_factory.mktemp("class")
    for number, (_name, (source, _statuses, _points)) in enumerate(FUNCTIONS.items()):
        hand_in(folder, f"hostile{number:02d}", student("start_here", {"number_of_batches": source}))
    for number, tries in enumerate(ESCAPES.values()):
        hand_in(folder, f"tries{number:02d}", student("start_here", {"number_of_batches": escaping(tries)}))
    for number in range(10):
        answers = {
            name: source + "\n# of an honest student" * 60 for name, source in solutions("start_here").items()
        }
        hand_in(folder, f"honest{number:02d}", student("start_here", answers))
    found = submission.find([folder])
    with (
        patch.dict(os.environ, {"GRADERS_TOKEN": "secret"}),
        patch.object(slots, "_MAIN", SOONER),
        patch.object(limits, "_GRACE", -39),
    ):
        results, notes = run.grade(found, jobs=3)
    return {result.submission.student: result for result in results}, notes


@pytest.mark.parametrize("name", FUNCTIONS)
def test_harm_gets_a_row_of_its_own(class_room, name: str) -> None:
    results, _notes = class_room
    _source, statuses, points = FUNCTIONS[name]
    grade = results[f"hostile{list(FUNCTIONS).index(name):02d}"].grades[0]
    assert grade.status in statuses | {"busy"}, grade
    assert points is None or grade.verdict.points == points, grade
    assert grade.verdict.message and grade.verdict.maximum == POINTS


@confined
@pytest.mark.parametrize("name", ESCAPES)
def test_an_answer_stays_inside(class_room, name: str) -> None:
    results, _notes = class_room
    grade = results[f"tries{list(ESCAPES).index(name):02d}"].grades[0]
    assert (grade.status, grade.verdict.points) == ("graded", POINTS), grade


@confined
@pytest.mark.parametrize("layer", LAYERS)
def test_each_layer_stops_what_no_other_stops(
    layer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A layer that could be left out would be code for nothing."""
    language.use("en")
    with_it, without, name = LAYERS[layer]
    if not bubblewrap.is_any_user() and layer == "users of their own":
        pytest.skip("Only root can be other users.")
    hand_in(tmp_path, "tries", student("start_here", {"number_of_batches": escaping(ESCAPES[name])}))
    points = []
    for changes in (with_it, without):
        for change in changes:
            monkeypatch.setattr(*change)
        results, _notes = run.grade(submission.find([tmp_path]), jobs=1)
        points.append(results[0].grades[0].verdict.points)
    assert points == [POINTS, 0]


# What an answer may leave behind for the next one in its slot; and what that returns True for.
LEAVES = {
    "processes and files": """
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                while True: time.sleep(18274651)
            os._exit(0)
        for place in ('/scratch/left', '/scratch/home/left', '/dev/shm/left', '/dev/shm/deep/left'):
            os.makedirs(os.path.dirname(place), exist_ok=True)
            open(place, 'w').close()
        os.symlink('/usr', '/scratch/link')
    """,
    "what cannot be removed": """
        os.chdir('/dev/shm')
        for level in range(1500):
            os.mkdir('left', 0o500 if level > 1400 else 0o700)
            os.chdir('left')
    """,
    "a locked folder": "    os.chmod('/dev/shm', 0o500)\n",
    "limits of the slot": """
        resource.prlimit(1, resource.RLIMIT_NOFILE, (99, 99))
        os.setpriority(os.PRIO_PROCESS, 1, 15)
    """,
}
FINDS = """
        names = set(os.listdir('/scratch')) | set(os.listdir('/dev/shm'))
        if names != {'home'} or len(psutil.pids()) > 2: return True
        if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 100 or os.nice(0) > 14: return True
        open('/dev/shm/mine', 'w').close()
"""
IMPORTS = "import os, psutil, resource, time\n"


@confined
@pytest.mark.parametrize("same", [False, True], ids=["as root", "as one user"])
def test_an_answer_leaves_nothing_to_the_next_one(
    same: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    language.use("en")
    if same:
        monkeypatch.setattr(*SAME)
    elif not bubblewrap.is_any_user():
        pytest.skip("Only root can be other users.")
    for number, leaves in enumerate(LEAVES.values()):
        for name, tries in (("leaves", leaves), ("looks", FINDS)):
            source = IMPORTS + escaping(tries)
            hand_in(tmp_path, f"{number} {name}", student("start_here", {"number_of_batches": source}))
    results, _notes = run.grade(submission.find([tmp_path]), jobs=1)
    found = {result.submission.student: result.grades[0] for result in results}
    assert len(found) == 2 * len(LEAVES)
    assert {name: grade.verdict.points for name, grade in found.items()} == dict.fromkeys(found, POINTS)
    assert not [p for p in psutil.process_iter(["cmdline"]) if "18274651" in (p.info["cmdline"] or [])]


@confined
def test_an_answer_that_ends_its_slot_is_named_and_the_others_are_graded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As only the slot's own user can, by a limit on the slot's time."""
    language.use("en")
    monkeypatch.setattr(*SAME)
    ends = "    resource.prlimit(1, resource.RLIMIT_CPU, (1, 1))\n    time.sleep(30)\n"
    hand_in(tmp_path, "ends", student("start_here", {"number_of_batches": IMPORTS + HEAD + ends}))
    hand_in(tmp_path, "honest", student("start_here", solutions("start_here")))
    results, _notes = run.grade(submission.find([tmp_path]), jobs=1)
    found = {result.submission.student: result for result in results}
    assert found["ends"].grades[0].status == "broke"
    assert found["honest"].points == found["honest"].maximum


def test_all_others_are_graded_as_if_they_were_alone(class_room) -> None:
    results, _notes = class_room
    honest = [result for name, result in results.items() if name.startswith("honest")]
    assert len(honest) == 10
    assert all(result.points == result.maximum for result in honest)


def test_what_cannot_be_stopped_is_said(class_room) -> None:
    _results, notes = class_room
    assert any("can forge the result" in note for note in notes)


def test_what_was_replaced_before_the_probe_is_put_back_and_named(class_room) -> None:
    results, _notes = class_room
    for name, what in (
        ("patches json", "json.dumps"),
        ("patches builtins", "builtins.len"),
        ("patches torch", "torch.equal"),
    ):
        grade = results[f"hostile{list(FUNCTIONS).index(name):02d}"].grades[0]
        assert any(what in remark for remark in grade.remarks), grade


def test_nothing_is_left(class_room) -> None:
    assert not [p for p in psutil.process_iter(["cmdline"]) if "18274651" in (p.info["cmdline"] or [])]
    assert not children()
    assert not any(
        Path(place, "written-by-an-answer").exists() for place in ("/etc", "/usr", "/", sys.prefix)
    )


def test_evidence_that_comes_byte_by_byte_does_not_stop_the_clock() -> None:
    watch = pytest.importorskip("loaderlab.teaching.grading.watch")
    evidence, sink = os.pipe()
    over = threading.Event()

    def dribble() -> None:
        while not over.wait(0.01):
            os.write(sink, b"x")

    class Running(watch.Running):
        def ended(self) -> None:
            return None

    thread = threading.Thread(target=dribble, daemon=True)
    thread.start()
    threading.Timer(20, over.set).start()
    ours, _theirs = socket.socketpair()
    running = Running(0, limits.Limits(seconds=0.5), (), ours.fileno())
    assert watch.received(evidence, running, "token") == {"status": "time"}
    assert not over.is_set()
    over.set()


def test_an_answer_that_a_busy_machine_starved_runs_again_alone_and_is_told_so() -> None:
    starved = {"status": "time", "starved": True}
    passes: list[list[str]] = []

    class Busy(slots.Slots):
        def __init__(self) -> None:
            self._slots = [self]

        def _beside(self, tasks, arrived) -> None:
            passes.append([task.student for task in tasks])
            for task in tasks:
                arrived(task, {"status": "time", "starved": False} if task.student == "loops" else starved)

        def ask(self, task) -> dict:
            passes.append([task.student])
            return starved

    tasks = [
        slots.Task((n, "a"), name, Probe("a", "function", len, serial=name == "alone"), {})
        for n, name in enumerate(("loops", "honest", "alone"))
    ]
    arrived: dict[str, dict] = {}
    Busy().work(tasks, lambda task, response: arrived.update({task.student: response}))
    assert passes == [["loops", "honest"], ["alone"], ["honest"]]
    assert set(arrived) == {"loops", "honest", "alone"}
    exercise = course.lesson("start_here").exercises()["number_of_batches"]
    language.use("en")
    assert any("busy" in remark for remark in judging.judge(exercise, arrived["honest"]).remarks)
    assert not judging.judge(exercise, arrived["loops"]).remarks


def test_what_a_busy_machine_left_unjudged_is_no_grade_that_counts() -> None:
    evidence = {"samples": 512, "photos": 96 * 512, "ranks": 96, "again": 0, "undecided": True}
    exercise = course.lesson("find_the_bottleneck").exercises()["fast"]
    language.use("en")
    for share, status in ((0.5, "busy"), (1.0, "graded")):
        collected = {"status": "probed", "evidence": evidence | {"epochs": [[0.4, share]]}, "slow": False}
        grade = judging.judge(exercise, {"status": "probed", "collected": collected})
        assert (grade.status, grade.verdict.points, bool(grade.remarks)) == (status, 1, status == "busy")


@pytest.mark.parametrize("unpaired", [lambda: bytearray(2**31), lambda: os.kill(os.getpid(), 9)])
def test_evidence_that_takes_its_judge_s_memory_or_ends_it_costs_that_answer_only(
    unpaired: Callable[[], object],
) -> None:
    language.use("en")
    asked = course.lesson("start_here").exercises()["CountingStream"]
    greedy = replace(asked, prevented=lambda _evidence: unpaired() and None)
    response = {"status": "probed", "collected": {"status": "probed", "evidence": {}, "slow": False}}
    grade = judging.judge(greedy, response)
    assert (grade.status, grade.verdict.points) == ("unjudged", 0) and "MemoryError" in grade.verdict.message


def test_a_rate_is_looked_at_beside_others_and_measured_alone_only_where_that_does_not_tell() -> None:
    asked: list[tuple[str, bool]] = []

    class Glancing(slots.Slots):
        def __init__(self) -> None:
            self._slots = [self]

        def ask(self, task, glance=False) -> dict:
            asked.append((task.student, glance))
            evidence = None if glance and task.student != "clear" else task.student
            return {"status": "probed", "collected": {"status": "probed", "evidence": evidence}}

    kinds = {"clear": {"glance": len}, "near": {"glance": len}, "alone": {}}
    tasks = [
        slots.Task((n, "a"), name, Probe("a", "function", len, serial=True, **kind), {})
        for n, (name, kind) in enumerate(kinds.items())
    ]
    arrived: dict[str, str] = {}
    Glancing().work(
        tasks, lambda task, response: arrived.update({task.student: response["collected"]["evidence"]})
    )
    assert asked == [("clear", True), ("near", True), ("alone", False), ("near", False)]
    assert arrived == {name: name for name in kinds}


@pytest.mark.parametrize(("glance", "asked"), [(True, "a glance"), (False, "a look")])
def test_beside_others_an_answer_gets_a_glance_and_alone_a_look(glance: bool, asked: str) -> None:
    probe = Probe("answer", "function", len, serial=True, glance=repr)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        slots._send(ours, slots.Task((0, "answer"), "anna", probe, {}), glance)
        _head, files, _flags, _address = socket.recv_fds(theirs, 4096, 1)
    with os.fdopen(files[0], "rb") as file:
        sent, _request = pickle.load(file)
    assert sent.run is {"a glance": repr, "a look": len}[asked]


WITHOUT_STRANGERS = """
import json, sys
from pathlib import Path
from loaderlab.i18n import language
from loaderlab.teaching.grading import run, submission
language.use("en")
results, notes = run.grade(submission.find([Path(sys.argv[1])]), jobs=1)
print(json.dumps([notes, results[0].grades[0].verdict.points]))
"""


@confined
def test_an_answer_has_no_rights_where_it_runs_as_whoever_grades(tmp_path: Path) -> None:
    """In a namespace with one user only, which is root there, the answer cannot become somebody else."""
    rights = "rights = next(int(line.split()[1], 16) for line in open('/proc/self/status') if line.startswith('CapEff'))\n"
    right = HEAD + "    if rights: return -1\n" + RIGHT
    hand_in(tmp_path, "curious", student("start_here", {"number_of_batches": rights + right}))
    inside = ["unshare", "--user", "--map-root-user"]
    if (
        not shutil.which("unshare")
        or subprocess.run([*inside, "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("This system does not let us make a namespace of users.")
    done = subprocess.run(
        [*inside, sys.executable, "-c", WITHOUT_STRANGERS, tmp_path],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[1] == POINTS


@pytest.mark.skipif(not hasattr(os, "fork"), reason="This system cannot fork.")
def test_where_this_machine_is_the_sandbox_limits_hold_and_the_notes_say_it(tmp_path: Path) -> None:
    language.use("en")
    waits = HEAD + "    for _ in range(300):\n        if os.fork() == 0: time.sleep(18274651)\n"
    for name, source in {
        "sleeper": FUNCTIONS["leaves a sleeping child"][0],
        "ends": FUNCTIONS["ends its process"][0],
        # The children of the answers before it are gone: the sleeper's comes before it, the flood's too.
        "watches": "import psutil\n"
        + HEAD
        + "    if any('18274651' in (p.info['cmdline'] or []) for p in psutil.process_iter(['cmdline'])): return -1\n"
        + RIGHT,
        "floods": "import os, time\n" + waits + "    time.sleep(100)\n",
    }.items():
        hand_in(tmp_path, name, student("start_here", {"number_of_batches": source}))
    hand_in(tmp_path, "honest", student("start_here", solutions("start_here")))
    graded, notes = run.grade(submission.find([tmp_path]), jobs=1, confined=False)
    assert "this machine was the sandbox" in notes[0]
    results = {r.submission.student: [r.points, r.maximum, r.grades[0].status] for r in graded}
    assert results["honest"][0] == results["honest"][1] > 0
    assert results["sleeper"][::2] == [POINTS, "graded"]
    assert results["watches"][::2] == [POINTS, "graded"]
    assert results["ends"][::2] == [0, "silent"]
    assert results["floods"][0] == 0
    # "busy" where the machine was, and the answer's time was over before anybody had looked.
    floods = results["floods"][2]
    assert floods in ("processes", "busy") if os.geteuid() == 0 else floods != "time"
    assert not [p for p in psutil.process_iter(["cmdline"]) if "18274651" in (p.info["cmdline"] or [])]
