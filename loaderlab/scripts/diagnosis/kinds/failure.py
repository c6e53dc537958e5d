"""The kinds of finding about what goes wrong before anything can be measured, as hangs, dead workers and exceptions: what is said of each."""

from __future__ import annotations

import re
import signal
import sysconfig
from pathlib import Path
from typing import Any

from ...words import number
from ...words import translate as _
from ..evidence import Evidence, Trouble
from ..finding import Finding, Row, code
from ..lines import is_ours, is_own, place_of
from .fault import wrong

_SHARED_MEMORY = re.compile(r"No space left|shared memory|bus error", re.IGNORECASE)
_PICKLE = re.compile(r"pickle|get local object|Can't get attribute")
_WORKER = re.compile(r"worker.*(exited unexpectedly|is killed by signal)", re.IGNORECASE | re.DOTALL)
_TOO_MANY = re.compile(r"Too many open files|items of ancdata")
_SILENT = ("EOFError", "ConnectionResetError", "FileNotFoundError", "OSError", "RuntimeError")
_FRAME = re.compile(r'File "(.+?)", line (\d+),? in ')
_SAMPLE = re.compile(r"^(?:Original )?sample: (.+)$", re.MULTILINE)
_CRASH = re.compile(r"Fatal Python error: (.+)")
STANDARD = Path(sysconfig.get_path("stdlib"))
MANY_TENSORS = 20  # in a batch: more are numbers of a list, and no fields
MOST_NAMES = 4  # of threads; a notebook has a dozen

hangs = wrong(
    "No batch came: reading hangs, or takes longer than the time that was given.",
    says="No batch came in the time that was given: reading hangs, or takes longer. Give it more seconds, or read one sample by itself (`dataset[0]`).",
    otherwise="No batch came in {seconds} s: when the experiment was stopped, it was reading at `{place}`.",
)
workers_hang = wrong(
    "The workers hang where the main process can read: something that they got by `fork` does not work there.",
    'DataLoader(..., timeout=60, multiprocessing_context="spawn")',
    says="The workers hang, while the same samples can be read in this process: something that the workers got by `fork` (a lock, a connection, threads) does not work in them. Open it in the worker, or start the workers in another way. With a `timeout` you would get an error instead of a hang.",
    otherwise="The workers hang, but workers started by `spawn` give batches: something that workers get by `fork` (a lock, a connection, the threads of a library) does not work in them. Start the workers by `spawn`, or do not use the library before the worker does.",
)
crashes = wrong(
    "Reading ends the whole process: an error in compiled code, or too little memory.",
    says="An error in compiled code ends the whole process while it reads ({signal}).",
    otherwise="While it reads, the whole process is ended from outside ({signal}), mostly because it takes too much memory.",
)
empty = wrong("The loader gives no batch at all.", says="No batch came: the loader is empty.")
shm_full = wrong(
    "Shared memory is full: the batches under way do not fit.",
    "DataLoader(..., num_workers=2, prefetch_factor=1)",
    says="Shared memory is full: the batches that are under way do not fit into /dev/shm.",
)
too_many_files = wrong(
    "Too many files are open: each tensor that is kept holds one.",
    'torch.multiprocessing.set_sharing_strategy("file_system")',
    says="Too many open files: each tensor that is kept holds one. Keep a copy of it: `.clone()`.",
    otherwise="Too many open files: each tensor of a batch takes one while it is sent, and a batch has {tensors} tensors. Return a sample as a few arrays: each number of a list becomes a tensor of its own.",
)
unpicklable = wrong(
    "Workers that are spawned get the dataset pickled, and part of it cannot be.",
    says="The workers cannot get the dataset: a worker that is started by `{method}` gets it pickled, and a part of it cannot be pickled ({text}). Define classes and functions in a module, without lambdas; open files and connections in the worker.",
)
worker_died = wrong(
    "A worker was ended from outside, for instance for its memory, or by an error in compiled code.",
    "DataLoader(..., num_workers=0)",
    says="A worker died without a message: it was ended from outside, mostly because it took too much memory (SIGKILL), or it exited by itself. Free memory: {mib} MiB.",
    otherwise="A worker crashed in compiled code ({error}).",
)
own_failure = wrong(
    "The examination itself failed, which says nothing of the loader.",
    says="`diagnose` itself failed at {place} ({error}: {text}). This says nothing of your loader; please report it.",
)
raises = wrong(
    "Reading raises an exception, which is said with its place.",
    says="Reading raises {error}: {text}",
)


def said(trouble: Trouble, e: Evidence) -> Finding:
    """Say what kept an experiment from its end, and the cure."""
    outcome = trouble.outcome
    until = (Row(_("batches until then"), trouble.batches), Row(_("workers"), e.workers))
    at = _where(trouble)
    if outcome.how == "late":
        if outcome.dead:
            return _died(e, trouble, at, until)
        if _TOO_MANY.search(outcome.heard):
            return _files(e, at, until)
        if (trouble.experiment == "parts" and not trouble.spawned) or not e.workers:
            values = {"seconds": number(trouble.seconds), "place": at[0].value} if at else {}
            return hangs(*at, *until, other=bool(at), remark=_copied(e), **values)
        remark, changes = "" if trouble.spawned else _copied(e), (("multiprocessing_context", "spawn"),)
        return workers_hang(*at, *until, other=trouble.spawned, remark=remark, changes=changes)
    if outcome.how == "died":
        name = signal.Signals(-outcome.code).name if outcome.code < 0 else str(outcome.code)
        return crashes(*at, *until, other=name == "SIGKILL", signal=name)
    if outcome.how == "done":
        return empty(*until)
    text, error = outcome.text, outcome.error
    if _SHARED_MEMORY.search(text):
        return shm_full(*until)
    # A worker that cannot send says so by itself; the main process only hears no more of it.
    if _TOO_MANY.search(text) or (error in _SILENT and _TOO_MANY.search(outcome.heard)):
        return _files(e, at, until)
    pickled = trouble.experiment == "loop" and e.workers and e.method != "fork"
    if pickled and error in ("PicklingError", "AttributeError", "TypeError") and _PICKLE.search(text):
        return unpicklable(*until, method=e.method, text=text)
    if _WORKER.search(text):
        return _died(e, trouble, at, until)
    # The last line is the error itself, of one that a worker sent with its whole traceback.
    last = next((line for line in reversed(text.splitlines()) if line.strip()), "")
    if place := _own_failure(trouble):
        return own_failure(*until, place=place, error=error, text=last)
    return raises(*at, *until, error=error, text=last)


def _files(e: Evidence, at: tuple[Row, ...], until: tuple[Row, ...]) -> Finding:
    tensors = e.contents.tensors
    many, known = tensors > MANY_TENSORS, e.returned if tensors > MANY_TENSORS else e.keeping
    rows = (Row(_("where"), known),) if known else at if many else ()
    rows += (Row(_("tensors in a batch"), tensors),) if many else ()
    change = "return torch.as_tensor(sample)  # of `__getitem__`: one tensor, and no list of numbers"
    return too_many_files(*rows, *until, other=many, change=change if many else None, tensors=number(tensors))


def _died(e: Evidence, trouble: Trouble, at: tuple[Row, ...], until: tuple[Row, ...]) -> Finding:
    crash = _CRASH.search(trouble.outcome.heard)
    values: dict[str, Any] = {"error": crash[1]} if crash else {"mib": number((e.memory_free or 0) / 2**20)}
    rows = at if crash else ()
    return worker_died(*rows, *until, other=bool(crash), change=code(e.without_workers), **values)


def _places(trouble: Trouble) -> list[tuple[str, int]]:
    """Return the files and lines in which an experiment ended, the innermost last: of an exception, or of what hung or crashed."""
    outcome = trouble.outcome
    # Of what hung or crashed innermost first, as C writes it, and the workers' before that of the process that waits for them.
    stacks = "".join((*outcome.stacks[1:], *outcome.stacks[:1]))
    told = stacks or outcome.heard.rpartition("Fatal Python error")[2]
    if outcome.how == "raised":
        # What a worker raised comes in the text, with a traceback of its own, and says more than where it was raised again.
        if found := _FRAME.findall(outcome.trace + "\n" + outcome.text):
            return [(file, int(line)) for file, line in found]
        told = outcome.heard
    return [(file, int(line)) for file, line in _FRAME.findall(told)][::-1]


def _where(trouble: Trouble) -> tuple[Row, ...]:
    """Return the user's line in which it ended, or else that of the library, and the sample that was asked for there."""
    places = _places(trouble)
    others = [place for place in places if not is_ours(place[0])]
    last = ([place for place in others if is_own(place[0])] or others or places)[-1:]
    where = tuple(Row(_("where"), str(place_of(*place))) for place in last)
    told = "\n".join((trouble.outcome.trace, trouble.outcome.text, *reversed(trouble.outcome.stacks)))
    index = tuple(Row(_("index of the sample"), one) for one in _SAMPLE.findall(told)[:1])
    return (*where, *index) if where else ()


def _own_failure(trouble: Trouble) -> str:
    """Return the place in this folder in which the examination itself failed, and not what it called; "" where it is not so."""
    places = _places(trouble)
    if trouble.outcome.error in ("IndexError", "KeyError") or any(is_own(file) for file, _line in places):
        return ""  # what a look-up does not find is the user's
    beyond = [one for one in places if is_ours(one[0]) or not Path(one[0]).is_relative_to(STANDARD)]
    copying = [one for one in beyond if is_ours(one[0]) and Path(one[0]).name == "clone.py"]
    return "".join(str(place_of(*one)) for one in (copying or beyond)[-1:] if is_ours(one[0]))


def _copied(e: Evidence) -> str:
    """Return a remark where other threads ran when this process was copied: the experiment itself may be why."""
    if not e.other_threads:
        return ""
    text = _(
        "Or the experiment hangs by itself: it ran in a copy of this process, in which other threads were running ({threads}), and a lock that one of them held stays locked in the copy. Try it in a fresh process, from a shell."
    )
    return " " + text.format(threads=", ".join(e.other_threads[:MOST_NAMES]))
