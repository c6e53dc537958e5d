"""A limit on the time that a learner's answer may take inside the notebook."""

from __future__ import annotations

import _thread
import contextlib
import signal
import sys
import threading
from collections.abc import Iterator


class OutOfTime(BaseException):
    """The limit has passed. Not an ``Exception``, so that an answer's ``except Exception`` does not swallow it."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise :class:`OutOfTime` in the body after ``seconds``; main thread only.

    POSIX signals also interrupt a sleep. Elsewhere (Windows) the interpreter is asked to interrupt
    itself, which takes effect at the next bytecode. In a browser there is neither, and no limit: the page has one.
    """
    if sys.platform == "emscripten":
        yield
        return
    if hasattr(signal, "SIGALRM"):
        with _alarm(seconds):
            yield
        return
    passed = threading.Event()

    def ring() -> None:
        passed.set()
        _thread.interrupt_main()

    timer = threading.Timer(seconds, ring)
    timer.start()
    try:
        yield
    except KeyboardInterrupt:
        if passed.is_set():
            raise OutOfTime from None
        raise
    finally:
        timer.cancel()


@contextlib.contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def ring(*_: object) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
