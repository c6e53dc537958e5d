"""The kinds of finding about what goes wrong before anything can be measured, as hangs, dead workers and exceptions: what is said of each."""

from __future__ import annotations

import re
import signal

from ...words import number
from ...words import translate as _
from ..evidence import Evidence, Trouble
from ..finding import Finding, Rate, Row, Words, code, kind
from ..throughput import period

_SHARED_MEMORY = re.compile(r"No space left|shared memory|bus error", re.IGNORECASE)
_PICKLE = re.compile(r"pickle|get local object|Can't get attribute")
_WORKER = re.compile(r"worker.*(exited unexpectedly|is killed by signal)", re.IGNORECASE | re.DOTALL)
MOST_NAMES = 4  # of threads; a notebook has a dozen


def said(trouble: Trouble, evidence: Evidence) -> Finding:
    """Say what kept an experiment from its end, and the cure."""
    outcome = trouble.outcome
    if outcome.how == "late":
        if outcome.dead:
            return worker_died(evidence, trouble)
        if trouble.experiment == "parts" or not evidence.workers:
            return hangs(evidence, trouble)
        return workers_hang(evidence, trouble)
    if outcome.how == "died":
        name = signal.Signals(-outcome.code).name if outcome.code < 0 else str(outcome.code)
        return crashes(evidence, trouble, name)
    if outcome.how == "done":
        return empty(evidence, trouble)
    return _raised(trouble, evidence)


def _raised(trouble: Trouble, evidence: Evidence) -> Finding:
    text, error = trouble.outcome.text, trouble.outcome.error
    if _SHARED_MEMORY.search(text):
        return shm_full(evidence, trouble)
    if "Too many open files" in text:
        return too_many_files(evidence, trouble)
    if error in ("PicklingError", "AttributeError", "TypeError") and _PICKLE.search(text):
        return unpicklable(evidence, trouble)
    if _WORKER.search(text):
        return worker_died(evidence, trouble)
    lines = (text + "\n" + trouble.outcome.trace).splitlines()
    places = [line.strip() for line in lines if line.strip().startswith("File ")]
    return raises(evidence, trouble, _message(text), _users(places))


def _message(text: str) -> str:
    """Return the last line, which is the error itself, of one that a worker sent with its whole traceback."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _users(places: list[str]) -> str:
    """Return the last place that is no file of torch's or of this folder."""
    own = [p for p in places if "/torch/" not in p and "/diagnosis/" not in p]
    return (own or places or [""])[-1]


@kind("No batch came: reading hangs, or takes longer than the time that was given.")
def hangs(e: Evidence, trouble: Trouble) -> Words:
    sentence = _(
        "No batch came in the time that was given: reading hangs, or takes longer. Give it more seconds, or read one "
        "sample by itself (`dataset[0]`)."
    )
    return Words(sentence + _copied(e), _until_then(e, trouble))


@kind(
    "The workers hang where the main process can read: something that they got by `fork` does not work there.",
    'DataLoader(..., timeout=60, multiprocessing_context="spawn")',
)
def workers_hang(e: Evidence, trouble: Trouble) -> Words:
    sentence = _(
        "The workers hang, while the same samples can be read in this process: something that they got by `fork` (a lock, "
        "a connection, threads) does not work there. Open it in the worker, or start workers in another way; with a "
        "`timeout` you would be told."
    )
    # None came so far; those that are started in another way should do what the parts alone took.
    rate = e.costs.batch_size / max(period(e.costs, e.setting), 1e-9)
    predicted = Rate(rate, 0.7 * rate, 1.1 * rate)
    changes = (("multiprocessing_context", "spawn"),)
    return Words(sentence + _copied(e), _until_then(e, trouble), None, predicted, changes)


@kind("Reading ends the whole process: an error in compiled code, or too little memory.")
def crashes(e: Evidence, trouble: Trouble, signal: str) -> Words:
    """``signal``: its name, or the exit status."""
    sentence = _(
        "Reading ends the whole process ({signal}): an error in compiled code, or too little memory."
    )
    return Words(sentence.format(signal=signal), _until_then(e, trouble))


@kind("The loader gives no batch at all.")
def empty(e: Evidence, trouble: Trouble) -> Words:
    return Words(_("No batch came: the loader is empty."), _until_then(e, trouble))


@kind(
    "Shared memory is full: the batches under way do not fit.",
    "DataLoader(..., num_workers=2, prefetch_factor=1)",
)
def shm_full(e: Evidence, trouble: Trouble) -> Words:
    sentence = _("Shared memory is full: the batches that are under way do not fit into /dev/shm.")
    return Words(sentence, _until_then(e, trouble))


@kind(
    "Too many files are open: each tensor that is kept holds one.",
    'torch.multiprocessing.set_sharing_strategy("file_system")',
)
def too_many_files(e: Evidence, trouble: Trouble) -> Words:
    return Words(_("Too many open files: each tensor that is kept holds one."), _until_then(e, trouble))


@kind("Workers that are spawned get the dataset pickled, and part of it cannot be.")
def unpicklable(e: Evidence, trouble: Trouble) -> Words:
    sentence = _(
        "The workers cannot get the dataset: what is started by `{method}` gets it pickled, and part of it cannot be "
        "({text}). Define classes and functions in a module, no lambda; open files and connections in the worker."
    )
    return Words(sentence.format(method=e.method, text=trouble.outcome.text), _until_then(e, trouble))


@kind(
    "A worker was ended from outside, for instance for its memory, or by an error in compiled code.",
    "DataLoader(..., num_workers=0)",
)
def worker_died(e: Evidence, trouble: Trouble) -> Words:
    sentence = _(
        "A worker died without a word: it was ended from outside, for instance for its memory, or by an error in compiled "
        "code. Free memory: {mib} MiB."
    )
    free = number((e.memory_free or 0) / 2**20)
    return Words(sentence.format(mib=free), _until_then(e, trouble), code(e.without_workers))


@kind("Reading raises an exception, which is said with its place.")
def raises(e: Evidence, trouble: Trouble, text: str, place: str) -> Words:
    """``text``: the message of the exception, ``place``: where it was raised."""
    sentence = _("Reading raises {error}: {text}")
    rows = (*_until_then(e, trouble), Row(_("raised in"), place))
    return Words(sentence.format(error=trouble.outcome.error, text=text), rows)


def _copied(e: Evidence) -> str:
    """Return a remark where other threads ran when this process was copied: the experiment itself may be why."""
    if not e.other_threads:
        return ""
    text = _(
        "Or the experiment hangs by itself: it ran in a copy of this process, in which other threads were running ({threads}), "
        "and a lock that one of them held stays locked in the copy. Try it in a fresh process, from a shell."
    )
    return " " + text.format(threads=", ".join(e.other_threads[:MOST_NAMES]))


def _until_then(e: Evidence, trouble: Trouble) -> tuple[Row, ...]:
    return Row(_("batches until then"), trouble.batches), Row(_("workers"), e.workers)
