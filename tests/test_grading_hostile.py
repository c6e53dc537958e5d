"""Answers that mean harm: each gets a clear row, all others are graded as if they were alone, and nothing is left."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import psutil
import pytest
from handed_in import hand_in, solutions, student

from conftest import ROOT
from loaderlab import language
from loaderlab.workshop.grading import run, submission

RIGHT = "    return -(-samples // batch_size)\n"
HEAD = "def number_of_batches(samples, batch_size):\n"
POINTS = 2

# name -> (what the cell holds, the statuses that it may get, its points)
FUNCTIONS = {
    "loops for ever": (HEAD + "    while True: pass\n", {"time"}, 0),
    "loops, deaf to the alarm": (
        HEAD + "    while True:\n        try:\n            while True: pass\n        except BaseException: pass\n",
        {"time"},
        0,
    ),
    "leaves a sleeping child": (
        "import subprocess\n" + HEAD + "    subprocess.Popen(['sleep', '12345'], start_new_session=True)\n" + RIGHT,
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
    "prints 1 GB": (HEAD + "    for _ in range(20): print('x' * 10**7)\n" + RIGHT, {"graded"}, POINTS),
    "returns 100 MB": (HEAD + "    return 'x' * 10**8\n", {"evidence", "time", "memory", "raised"}, 0),
    "writes a file of 1 GB": (
        HEAD + "    with open('big', 'wb') as f:\n        for _ in range(100): f.write(b'x' * 10**7)\n" + RIGHT,
        {"graded", "crashed", "raised"},
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
        "import loaderlab.probing as p\np.plain = lambda value: 3\np.attempt = lambda *a: {'value': 3}\n"
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
    "prints what looks like a result": (
        "print('{\"collected\": {\"status\": \"probed\", \"points\": 2}}')\n" + HEAD + "    return 7\n",
        {"graded"},
        0,
    ),
    "raises SystemExit": (HEAD + "    raise SystemExit(0)\n", {"raised"}, 0),
    "is no Python": ("def number_of_batches(samples, batch_size:\n", {"undefined", "missing"}, 0),
    "defines another name": ("def number_of_batchs(samples, batch_size):\n" + RIGHT, {"undefined", "missing"}, 0),
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
    "sees other processes": "    import psutil\n    return len(psutil.pids()) > 4\n",
    "has rights": """
        import os
        return os.geteuid() == 0 or int(next(
            line.split()[1] for line in open('/proc/self/status') if line.startswith('CapEff')), 16) != 0
    """,
}  # fmt: skip


@pytest.fixture(scope="module")
def class_room(tmp_path_factory: pytest.TempPathFactory):
    """All of them, handed in at once with thirty honest neighbours; graded once."""
    if not hasattr(os, "fork"):
        pytest.skip("This system cannot fork.")
    language.use("en")
    folder = tmp_path_factory.mktemp("class")
    for number, (_name, (source, _statuses, _points)) in enumerate(FUNCTIONS.items()):
        hand_in(folder, f"hostile{number:02d}", student("start_here", {"number_of_batches": source}))
    for number, tries in enumerate(ESCAPES.values()):
        body = tries if tries.startswith("    import") else tries.replace("\n        ", "\n    ")
        source = (
            f"import sys, loaderlab\nROOT = {str(ROOT)!r}\ndef escaped():\n{body}\n\n"
            + HEAD
            + ("    try:\n        if escaped(): return -1\n    except (ImportError, OSError): pass\n" + RIGHT)
        )
        hand_in(folder, f"escape{number:02d}", student("start_here", {"number_of_batches": source}))
    for number in range(10):
        hand_in(folder, f"honest{number:02d}", student("start_here", solutions("start_here")))
    found = submission.find([folder])
    results, notes = run.grade(found, jobs=2)
    return {result.submission.student: result for result in results}, notes


@pytest.mark.parametrize("name", FUNCTIONS)
def test_harm_gets_a_row_of_its_own(class_room, name: str) -> None:
    results, _notes = class_room
    _source, statuses, points = FUNCTIONS[name]
    grade = results[f"hostile{list(FUNCTIONS).index(name):02d}"].grades[0]
    assert grade.status in statuses, grade
    assert points is None or grade.verdict.points == points, grade
    assert grade.verdict.message and grade.verdict.maximum == POINTS


@pytest.mark.parametrize("name", ESCAPES)
def test_an_answer_stays_inside(class_room, name: str) -> None:
    results, notes = class_room
    if not any("world of its own" in note for note in notes):
        pytest.skip("This system does not let an answer be set apart.")
    grade = results[f"escape{list(ESCAPES).index(name):02d}"].grades[0]
    assert (grade.status, grade.verdict.points) == ("graded", POINTS), grade


def test_all_others_are_graded_as_if_they_were_alone(class_room) -> None:
    results, _notes = class_room
    honest = [result for name, result in results.items() if name.startswith("honest")]
    assert len(honest) == 10
    assert all(result.points == result.maximum for result in honest)


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
    assert not [p for p in psutil.process_iter(["cmdline"]) if "12345" in (p.info["cmdline"] or [])]
    assert not psutil.Process().children(recursive=True)
    assert not any(Path(place, "written-by-an-answer").exists() for place in ("/etc", "/usr", "/", sys.prefix))
