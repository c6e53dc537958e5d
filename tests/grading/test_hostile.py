"""Answers that mean harm: each gets a clear row, all others are graded as if they were alone, and nothing is left."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from unittest.mock import patch

import psutil
import pytest

from handed_in import hand_in, solutions, student
from loaderlab import course
from loaderlab.exercises.probing import Probe
from loaderlab.i18n import language
from loaderlab.teaching.grading import judging, run, slots, submission
from places import ROOT
from processes import children

pytestmark = [pytest.mark.long, pytest.mark.minutes(3)]

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
    "prints 1 GB": (HEAD + "    for _ in range(2): print('x' * 10**7)\n" + RIGHT, {"graded"}, POINTS),
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
        {"unjudged"},
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
        if os.statvfs('/tmp').f_files > 10**5: return True
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
    "has rights": """
        import os
        return os.geteuid() == 0 or int(next(
            line.split()[1] for line in open('/proc/self/status') if line.startswith('CapEff')), 16) != 0
    """,
}  # fmt: skip


# layer -> (what takes it away from the zygote, the escape that no other layer stops)
NO_WORLDS = "kernel.unshare = lambda spaces: 1 / 0; "
NO_LANDLOCK = "landlock.version = lambda: 0; "
LAYERS = {
    "users of their own": (
        "zygote.Strangers = lambda count: type('None', (), {'numbers': []}); ",
        "has rights",
    ),
    "the filter of calls": ("kernel.forbid = lambda: None; ", "becomes root of a world of its own"),
    "a limit on files": ("mounts.FILES = 10**7; ", "takes memory that nobody counts"),
    "what is hidden": (
        "View = zygote.View; zygote.View = lambda kit, hidden, point, room: View(kit, (), point, room); ",
        "reads the solutions",
    ),
    "Landlock": (NO_WORLDS + NO_LANDLOCK, "reads the solutions"),
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
BEGINS = "import sys; sys.path.insert(0, sys.argv.pop(1)); "
BEGINS += "from loaderlab.teaching.grading import kernel, landlock, limits, mounts, zygote; "
SOONER = f"""{BEGINS}
from loaderlab.exercises import probing
probing.time_limit = lambda seconds, limit=probing.time_limit: limit(min(seconds, 4))
limits._GRACE, zygote.LONG = -39, 4.0
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
    with patch.dict(os.environ, {"GRADERS_TOKEN": "secret"}), patch.object(slots, "_MAIN", SOONER):
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


@pytest.mark.parametrize("name", ESCAPES)
def test_an_answer_stays_inside(class_room, name: str) -> None:
    results, notes = class_room
    if not any("world of its own" in note for note in notes):
        pytest.skip("This system does not let an answer be set apart.")
    grade = results[f"tries{list(ESCAPES).index(name):02d}"].grades[0]
    assert (grade.status, grade.verdict.points) == ("graded", POINTS), grade


@pytest.mark.skipif(sys.platform != "linux", reason="Made with Linux's means.")
@pytest.mark.parametrize("layer", LAYERS)
def test_each_layer_stops_what_no_other_stops(
    layer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A layer that could be left out would be code for nothing."""
    language.use("en")
    without, name = LAYERS[layer]
    if layer == "users of their own" and os.geteuid() != 0:
        pytest.skip("Only root can be other users.")
    hand_in(tmp_path, "tries", student("start_here", {"number_of_batches": escaping(ESCAPES[name])}))
    points = {}
    for kept, change in {True: NO_WORLDS if without.startswith(NO_WORLDS) else "", False: without}.items():
        monkeypatch.setattr(slots, "_MAIN", f"{BEGINS}{change}zygote.main()")
        results, notes = run.grade(submission.find([tmp_path]), jobs=1, as_root=True)
        points[kept] = results[0].grades[0].verdict.points
        if kept and not any(("read only what" if change else "world of its own") in note for note in notes):
            pytest.skip("This system does not have the layer.")
    assert points == {True: POINTS, False: 0}


def test_all_others_are_graded_as_if_they_were_alone(class_room) -> None:
    results, _notes = class_room
    honest = [result for name, result in results.items() if name.startswith("honest")]
    assert len(honest) == 10
    assert all(result.points == result.maximum for result in honest)


def test_what_cannot_be_stopped_is_said(class_room) -> None:
    _results, notes = class_room
    assert any("can forge what is found" in note for note in notes)


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
    zygote = pytest.importorskip("loaderlab.teaching.grading.zygote")
    evidence, sink = os.pipe()
    over = threading.Event()

    def dribble() -> None:
        while not over.wait(0.01):
            os.write(sink, b"x")

    class Running:
        def ended(self) -> None:
            return None

    thread = threading.Thread(target=dribble, daemon=True)
    thread.start()
    threading.Timer(20, over.set).start()
    limits = zygote.Limits(seconds=0.5)
    assert zygote._received(evidence, Running(), limits, "token") == {"status": "time"}
    assert not over.is_set()
    over.set()


def test_an_answer_that_a_busy_machine_starved_runs_again_alone_and_is_told_so() -> None:
    starved = {"status": "time", "starved": True}
    passes: list[list[str]] = []

    class Busy(slots.Slots):
        def __init__(self) -> None:
            self._connections = ["one", "two"]

        def _work(self, tasks, connections, arrived, glance=False) -> None:
            passes.append([task.student for task in tasks])
            for task in tasks:
                arrived(task, {"status": "time", "starved": False} if task.student == "loops" else starved)

    tasks = [
        slots.Task((n, "a"), name, Probe("a", "function", len, serial=name == "alone"), {})
        for n, name in enumerate(("loops", "honest", "alone"))
    ]
    arrived: dict[str, dict] = {}
    Busy().work(tasks, lambda task, response: arrived.update({task.student: response}))
    assert passes == [["loops", "honest"], ["alone", "honest"]]
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


def test_a_rate_is_looked_at_beside_others_and_measured_alone_only_where_that_does_not_tell() -> None:
    passes: list[tuple[bool, list[str], int]] = []

    class Glancing(slots.Slots):
        def __init__(self) -> None:
            self._connections = ["one", "two"]

        def _work(self, tasks, connections, arrived, glance=False) -> None:
            passes.append((glance, [task.student for task in tasks], len(connections)))
            for task in tasks:
                evidence = None if glance and task.student != "clear" else task.student
                arrived(task, {"status": "probed", "collected": {"status": "probed", "evidence": evidence}})

    kinds = {"clear": {"glance": len}, "near": {"glance": len}, "alone": {}}
    tasks = [
        slots.Task((n, "a"), name, Probe("a", "function", len, serial=True, **kind), {})
        for n, (name, kind) in enumerate(kinds.items())
    ]
    arrived: dict[str, str] = {}
    Glancing().work(
        tasks, lambda task, response: arrived.update({task.student: response["collected"]["evidence"]})
    )
    assert passes == [(True, ["clear", "near"], 2), (False, ["alone", "near"], 1)]
    assert arrived == {name: name for name in kinds}


A_GLANCE = """
import json, sys, tempfile
from pathlib import Path
from loaderlab.exercises.probing import Probe
from loaderlab.teaching.grading import zygote
from loaderlab.teaching.grading.sandbox import Protections
from loaderlab.teaching.grading.mounts import View
place = Path(sys.argv[1])
probe = Probe("answer", "function", lambda answer: "a look", serial=True, glance=lambda answer: "a glance")
view = View(place, (), place, 0)
slot = zygote.Slot({("lesson", "answer"): probe}, view, Protections(False, None), zygote.Guard())
for glance in (True, False):
    with tempfile.TemporaryFile("w+") as request:
        json.dump({"answer": "def answer(): pass", "cells": [], "statements": [], "files": {}}, request)
        request.seek(0)
        head = {"lesson": "lesson", "exercise": "answer", "glance": glance}
        print(slot.grade(head, request.fileno())["collected"]["evidence"])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="The grader's own process is made with Linux's means.")
def test_beside_others_an_answer_gets_a_glance_and_alone_a_look(tmp_path: Path) -> None:
    command = [sys.executable, "-c", A_GLANCE, str(tmp_path)]
    variables = os.environ | {"TMPDIR": str(tmp_path)}
    said = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=True)
    assert said.stdout.split("\n")[:2] == ["a glance", "a look"]


WITHOUT_STRANGERS = """
import json, sys
from pathlib import Path
from loaderlab.i18n import language
from loaderlab.teaching.grading import run, submission
language.use("en")
results, notes = run.grade(submission.find([Path(sys.argv[1])]), jobs=1, as_root=True)
print(json.dumps([notes, results[0].grades[0].verdict.points]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux has these rights.")
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


FENCELESS = """
import json, sys
from pathlib import Path
from loaderlab.i18n import language
from loaderlab.teaching.grading import kernel, run, submission
language.use("en")
kernel.gain_nothing_by_exec()
kernel.forbid()  # no namespaces
kernel.drop_capabilities()  # no other user
results, notes = run.grade(submission.find([Path(sys.argv[1])]), jobs=1, as_root=True)
print(json.dumps([notes, {r.submission.student: [r.points, r.maximum, r.grades[0].status] for r in results}]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Made with Linux's means; elsewhere all tests run so.")
def test_where_nothing_can_be_set_apart_limits_hold_and_the_notes_say_it(tmp_path: Path) -> None:
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
    done = subprocess.run(
        [sys.executable, "-c", FENCELESS, tmp_path],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    notes, results = json.loads(done.stdout)
    if "world of its own" in notes[0]:
        pytest.skip("The filter of calls does not work here.")
    assert "does not let us set an answer apart" in notes[0]
    assert results["honest"][0] == results["honest"][1] > 0
    assert results["sleeper"][::2] == [POINTS, "graded"]
    assert results["watches"][::2] == [POINTS, "graded"]
    assert results["ends"][::2] == [0, "silent"]
    assert results["floods"][0] == 0
    # "busy" where the machine was, and the answer's time was over before anybody had looked.
    floods = results["floods"][2]
    assert floods in ("processes", "busy") if os.geteuid() == 0 else floods != "time"
    assert not [p for p in psutil.process_iter(["cmdline"]) if "18274651" in (p.info["cmdline"] or [])]
