"""Failures before anything can be measured: hangs, dead workers, what cannot be pickled, exceptions."""

from __future__ import annotations

import re
import signal

from .evidence import Evidence, Trouble
from .finding import Finding
from .kinds import failure

_SHARED_MEMORY = re.compile(r"No space left|shared memory|bus error", re.IGNORECASE)
_PICKLE = re.compile(r"pickle|get local object|Can't get attribute")
_WORKER = re.compile(r"worker.*(exited unexpectedly|is killed by signal)", re.IGNORECASE | re.DOTALL)


def said(trouble: Trouble, evidence: Evidence) -> Finding:
    """Say what kept an experiment from its end, and the cure."""
    outcome = trouble.outcome
    if outcome.how == "late":
        if outcome.dead:
            return failure.worker_died(evidence, trouble)
        if trouble.experiment == "parts" or not evidence.workers:
            return failure.hangs(evidence, trouble)
        return failure.workers_hang(evidence, trouble)
    if outcome.how == "died":
        name = signal.Signals(-outcome.code).name if outcome.code < 0 else str(outcome.code)
        return failure.crashes(evidence, trouble, name)
    if outcome.how == "done":
        return failure.empty(evidence, trouble)
    return _raised(trouble, evidence)


def _raised(trouble: Trouble, evidence: Evidence) -> Finding:
    text, error = trouble.outcome.text, trouble.outcome.error
    if _SHARED_MEMORY.search(text):
        return failure.shm_full(evidence, trouble)
    if "Too many open files" in text:
        return failure.too_many_files(evidence, trouble)
    if error in ("PicklingError", "AttributeError", "TypeError") and _PICKLE.search(text):
        return failure.unpicklable(evidence, trouble)
    if _WORKER.search(text):
        return failure.worker_died(evidence, trouble)
    lines = (text + "\n" + trouble.outcome.trace).splitlines()
    places = [line.strip() for line in lines if line.strip().startswith("File ")]
    return failure.raises(evidence, trouble, _message(text), _users(places))


def _message(text: str) -> str:
    """Return the last line, which is the error itself, of one that a worker sent with its whole traceback."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _users(places: list[str]) -> str:
    """Return the last place that is no file of torch's or of this folder."""
    own = [p for p in places if "/torch/" not in p and "/diagnosis/" not in p]
    return (own or places or [""])[-1]
