"""The recording of a case: each state of its script that a rate can tell from the others, measured on this machine in turns."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from loaderlab.course.case import named
from loaderlab.course.case_states import States, silent, to_measure
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import machine
from loaderlab.measuring.others import Others
from loaderlab.measuring.soundness import BUSY
from loaderlab.notebook import recordings

if TYPE_CHECKING:
    from pathlib import Path

    from loaderlab.course import Lesson
    from loaderlab.course.case import Rates

BENCHMARK = "case"
SECONDS = 660  # no round is begun that would not end by then
TRIES = 3  # of a run that other programs disturb

Run = Callable[[Sequence[str]], "Rates"]


def record(lesson: Lesson, rounds: int, say: Callable[[str], None] = print) -> Path | None:
    """Measure the states of a lesson's case, and keep them; returns the file, or None where the lesson has no case.

    Raises :class:`LabError` where nothing could be measured undisturbed, or repairs that should change no rate do change one; then
    nothing is written.
    """
    case = lesson.case()
    if case is None:
        return None
    trial: Callable[[], AbstractContextManager[Run]] = lesson.trial()
    with trial() as run:
        rows = list(measured(to_measure(case), run, rounds, say))
    states = States.of_rows(case, rows)
    if missing := [name or "–" for name in to_measure(case) if name not in states.rates]:
        say(
            _(
                "✗ Not measured, since other programs were at work: {states}. Measure again on an idle machine."
            ).format(states="; ".join(missing))
        )
    check(states)
    arguments = {"rounds": max(row["round"] for row in rows), "states": len(states.rates)}
    folder = lesson.folder / "recordings"
    device = machine.device_name("cpu")
    written = recordings.write(folder, lesson.name, BENCHMARK, arguments, {}, device, rows)
    for path in folder.glob("*.json"):  # the older ones of this device go
        old = recordings.read(path)
        if path != written and (old["benchmark"], old["device"]) == (BENCHMARK, device):
            path.unlink()
    return written


def check(states: States) -> None:
    """Raise :class:`LabError` where nothing was measured, or a repair that should change no rate does."""
    if not states.rates:
        raise LabError(
            _(
                "Other programs were at work, and nothing was measured or written. Measure again on an idle machine."
            )
        )
    if not states.sound:
        raise LabError(
            _(
                "These repairs should change no rate, and changed one by a factor of {factor}: {names}. Nothing was written: measure "
                "again on an idle machine."
            ).format(names=", ".join(silent(states.case)), factor=number(states.apart(), 2))
        )


def measured(
    states: Sequence[str],
    run: Run,
    rounds: int,
    say: Callable[[str], None] = print,
    now: Callable[[], float] = time.monotonic,
    busy: Callable[[], Callable[[], bool]] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each state and round: its ``repairs`` and its rates. In each round the states come in another order.

    A run that other programs disturb is made again, and has no row where that does not help.
    """
    began = now()
    for at in range(1, rounds + 1):
        if at > 1 and (now() - began) * at / (at - 1) > SECONDS:
            return
        say(_("Round {number} of {count}").format(number=at, count=rounds))
        for name in random.Random(at).sample(states, len(states)):
            for _try in range(TRIES):
                disturbed = (busy or _disturbed)()
                rates = run(name.split())
                if not disturbed():
                    yield {"repairs": name, "round": at} | {
                        rate: round(value, 1) for rate, value in asdict(rates).items()
                    }
                    break


def _disturbed() -> Callable[[], bool]:
    """Return the question whether other programs were at work since."""
    others = Others()
    return lambda: others.cores() > BUSY * machine.usable_cores()


def stored(lesson: Lesson) -> tuple[States | None, str]:
    """Return the states of a lesson's case by the newest recording, and the sentence that says where they come from.

    Where there is none, or the script as it was found is not in it: None, and an empty sentence.
    """
    case = lesson.case()
    found = [each for each in map(recordings.read, lesson.recordings) if each["benchmark"] == BENCHMARK]
    if case is None or not found:
        return None, ""
    last = max(found, key=lambda recording: str(recording["date"]))
    states = States.of_rows(case, last["rows"])
    if "" not in states.rates:  # without the script as it was found there is nothing to begin with
        return None, ""
    words = _(
        "The rates were measured on another machine ({machine}; PyTorch {torch}) on {date}. Rounds: {rounds}; a rate is their "
        "median. States that differ only in these repairs share their rates, since no rate shows them: {names}."
    )
    return states, words.format(
        machine=machine.described(last["device"]),
        torch=last["versions"]["torch"],
        date=last["date"],
        rounds=last["arguments"]["rounds"],
        names=named(silent(case), case),
    )
