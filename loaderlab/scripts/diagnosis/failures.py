"""What goes wrong before anything can be measured: hangs, dead workers, what cannot be pickled, exceptions."""

from __future__ import annotations

import re
import signal

from ..words import number
from ..words import translate as _
from .evidence import Evidence, Trouble
from .finding import Finding, Rate, Row
from .model import period


def said(trouble: Trouble, evidence: Evidence) -> Finding:
    """What kept an experiment from its end, and the cure."""
    outcome = trouble.outcome
    text, error = outcome.text, outcome.error
    where = (Row(_("batches until then"), trouble.batches), Row(_("workers"), evidence.workers))
    if outcome.how == "late" and outcome.dead:
        return _worker_died(evidence, where)
    if outcome.how == "late":
        if trouble.experiment == "parts" or not evidence.workers:
            sentence = _(
                "No batch came in the time that was given: reading hangs, or takes longer. Give it more seconds, or read one "
                "sample by itself (`dataset[0]`)."
            )
            return Finding("hangs", sentence, where)
        sentence = _(
            "The workers hang, while the same samples can be read in this process: something that they got by `fork` (a lock, "
            "a connection, threads) does not work there. Open it in the worker, or start workers in another way; with a "
            "`timeout` you would be told."
        )
        # None came so far; those that are started in another way should do what the parts alone took.
        rate = evidence.costs.batch_size / max(period(evidence.costs, evidence.setting), 1e-9)
        return Finding(
            "workers_hang",
            sentence,
            where,
            'DataLoader(..., timeout=60, multiprocessing_context="spawn")',
            Rate(rate, 0.7 * rate, 1.1 * rate),
            (("multiprocessing_context", "spawn"),),
        )
    if outcome.how == "died":
        name = signal.Signals(-outcome.code).name if outcome.code < 0 else str(outcome.code)
        sentence = _(
            "Reading ends the whole process ({signal}): an error in compiled code, or too little memory."
        )
        return Finding("crashes", sentence.format(signal=name), where)
    if outcome.how == "done":
        return Finding("empty", _("No batch came: the loader is empty."), where)
    if re.search(r"No space left|shared memory|bus error", text, re.IGNORECASE):
        sentence = _("Shared memory is full: the batches that are under way do not fit into /dev/shm.")
        return Finding("shm_full", sentence, where, "DataLoader(..., num_workers=2, prefetch_factor=1)")
    if "Too many open files" in text:
        sentence = _("Too many open files: each tensor that is kept holds one.")
        return Finding(
            "too_many_files", sentence, where, 'torch.multiprocessing.set_sharing_strategy("file_system")'
        )
    if error in ("PicklingError", "AttributeError", "TypeError") and re.search(
        r"pickle|get local object|Can't get attribute", text
    ):
        sentence = _(
            "The workers cannot get the dataset: what is started by `{method}` gets it pickled, and part of it cannot be "
            "({text}). Define classes and functions in a module, no lambda; open files and connections in the worker."
        )
        return Finding("unpicklable", sentence.format(method=evidence.method, text=text), where)
    if re.search(r"worker.*(exited unexpectedly|is killed by signal)", text, re.IGNORECASE | re.DOTALL):
        return _worker_died(evidence, where)
    last = [
        line.strip()
        for line in (text + "\n" + outcome.trace).splitlines()
        if line.strip().startswith("File ")
    ]
    sentence = _("Reading raises {error}: {text}")
    rows = (*where, Row(_("raised in"), _users(last)))
    return Finding("raises", sentence.format(error=error, text=_message(text)), rows)


def _worker_died(evidence: Evidence, where: tuple[Row, ...]) -> Finding:
    sentence = _(
        "A worker died without a word: it was ended from outside, for instance for its memory, or by an error in compiled "
        "code. Free memory: {mib} MiB."
    )
    free = number((evidence.memory_free or 0) / 2**20)
    return Finding("worker_died", sentence.format(mib=free), where, "DataLoader(..., num_workers=0)")


def _message(text: str) -> str:
    """Of an error that a worker sent, with its whole traceback: the last line, which is the error."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _users(places: list[str]) -> str:
    """The last place that is no file of torch's or of this folder."""
    own = [p for p in places if "/torch/" not in p and "/diagnosis/" not in p]
    return (own or places or [""])[-1]
