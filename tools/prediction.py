"""A table of the model's predictions beside a real DataLoader.

Method: the settings below were chosen before looking at a result. The costs of the machinery (launching,
starting, stopping a worker; sending, receiving a batch, and each MiB of it) are calibrated on four other settings, in this same
run. All settings are then run for real in turns, and the median of each is held against the prediction:
time per batch once the pipeline runs, and the whole time with starting and stopping. A run during which other
programs kept more than `QUIET` of a core busy is thrown away and made again, whatever its result.

Command: python tools/prediction.py [repeats [minutes at most]]
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from loaderlab.measuring.others import Others
from loaderlab.model.pipeline import Costs, Setting, Span, Timeline, simulate
from loaderlab.model.rehearsal import rehearse


def setting(
    workers: int,
    ahead: int,
    load: float,
    spread: float,
    step: float,
    cores: int,
    in_order: bool = True,
    persistent: bool = False,
) -> Setting:
    """Return one row of the table below."""
    return Setting(workers, ahead, load, spread, step, cores, in_order, persistent, batches=32)


SETTINGS = [
    #       W  P  load spread step cores in_order persistent
    setting(0, 1, 5, 0.0, 0, 1),
    setting(0, 1, 10, 0.5, 5, 1),
    setting(0, 1, 2, 0.0, 20, 2),
    setting(1, 1, 10, 0.0, 0, 1),
    setting(1, 2, 10, 0.0, 10, 2),
    setting(1, 4, 5, 1.0, 5, 2),
    setting(1, 2, 20, 0.5, 2, 1, True, True),
    setting(2, 1, 10, 0.0, 0, 2),
    setting(2, 2, 20, 0.0, 10, 2),
    setting(2, 2, 20, 0.0, 5, 2, True, True),
    setting(2, 2, 20, 1.0, 10, 2),
    setting(2, 2, 20, 1.0, 10, 2, False),
    setting(2, 1, 10, 1.0, 5, 2, False, True),
    setting(2, 2, 10, 0.0, 0, 1),
    setting(2, 2, 40, 0.5, 30, 2),
    setting(3, 2, 10, 0.0, 0, 2),
    setting(3, 2, 10, 0.5, 5, 2, False),
    setting(3, 1, 20, 1.0, 10, 2, True, True),
    setting(4, 2, 10, 0.0, 2, 2),
    setting(4, 2, 10, 0.5, 10, 2, True, True),
    setting(4, 1, 20, 1.0, 12, 2),
    setting(4, 1, 20, 1.0, 12, 2, False),
    setting(4, 2, 5, 0.0, 8, 1),
    setting(4, 4, 5, 0.5, 3, 1, False, True),
    setting(6, 2, 10, 0.5, 8, 2),
    setting(8, 2, 10, 0.0, 10, 2),
    setting(8, 2, 20, 1.0, 5, 2, False),
    setting(8, 1, 5, 0.5, 0, 2, True, True),
]


QUIET = 0.15  # cores
_LARGE = 16  # MiB of a batch, whose receiving shows


def quiet_runs(settings: Sequence[Setting], repeats: int, minutes: float) -> list[list[Timeline]]:
    """Return `repeats` undisturbed runs of each setting, in turns; fewer, or none, where time is up before."""
    kept: list[list[Timeline]] = [[] for _setting in settings]
    end = time.monotonic() + 60 * minutes
    while any(len(runs) < repeats for runs in kept) and time.monotonic() < end:
        for setting, runs in zip(settings, kept, strict=True):
            if len(runs) < repeats and time.monotonic() < end:
                others = Others()
                run = rehearse(setting)
                if others.cores() <= QUIET:
                    runs.append(run)
    return kept


def calibrate(repeats: int = 3, minutes: float = 5) -> tuple[Costs, float]:
    """Return the costs of the machinery on this machine, and what starting one worker takes, in ms."""
    settings = [
        Setting(2, 4, 3.0, 0.0, 6.0),
        Setting(2, 4, 12.0, 0.0, 20.0, batch_mib=_LARGE),
        Setting(1, 4, 3.0, 0.0, 0.0),
        Setting(6, 1, 0.0, 0.0, 0.0),
    ]
    stepping, large, loading, starting = (
        [(run, epoch) for run in runs for epoch in range(run.setting.epochs)]
        for runs in quiet_runs(settings, repeats, minutes)
    )
    if not (stepping and large and loading and starting):
        raise TimeoutError("other programs kept this machine busy all the time")

    def spans(run: Timeline, epoch: int, kind: str) -> list[Span]:
        return [span for span in run.spans if span.kind == kind and span.epoch == epoch]

    def receiving(run: Timeline, epoch: int) -> list[float]:
        inner = [d for d in run.deliveries if d.epoch == epoch][4:-4]
        return [after.done - before.done - run.setting.step_ms for before, after in pairwise(inner)]

    def sending(run: Timeline, epoch: int) -> list[float]:
        return [b.start - a.start - run.setting.load_ms for a, b in pairwise(spans(run, epoch, "load"))]

    def stopping(run: Timeline, epoch: int) -> list[float]:
        return [(span.end - span.start) / run.setting.num_workers for span in spans(run, epoch, "stop")]

    def launching(run: Timeline, epoch: int) -> list[float]:
        return [span.end - span.start for span in spans(run, epoch, "launch")]

    def all_started(run: Timeline, epoch: int) -> list[float]:
        return [max(span.end for span in spans(run, epoch, "start")) - run.epochs[epoch][0]]

    def median(runs: list[tuple[Timeline, int]], lengths: Callable[[Timeline, int], list[float]]) -> float:
        return statistics.median(value for run, epoch in runs for value in lengths(run, epoch))

    launch_ms = median(loading, launching)  # with one worker, nothing disturbs it
    six = starting[0][0].setting
    start_ms = median(starting, all_started) * six.cores / six.num_workers - launch_ms
    receive_ms = median(stepping, receiving)
    costs = Costs(
        launch_ms,
        stop_ms=median(starting, stopping),
        send_ms=max(0.0, median(loading, sending)),
        receive_ms=max(0.0, receive_ms),
        receive_ms_per_mib=max(0.0, median(large, receiving) - receive_ms) / _LARGE,
    )
    return costs, max(0.0, start_ms)


def predict(
    settings: Sequence[Setting] = SETTINGS,
    repeats: int = 3,
    minutes: float = 10,
    say: Callable[[str], None] = print,
) -> tuple[list[float], list[float]]:
    """Return the errors of the pace and of the whole time, as shares of the measured, for each setting that was run."""
    costs, start_ms = calibrate(repeats, minutes)
    say(f"{costs}, start {start_ms:.1f} ms")
    pace_errors, whole_errors = [], []
    for chosen, runs in zip(settings, quiet_runs(settings, repeats, minutes), strict=True):
        kind = (
            f"W{chosen.num_workers} P{chosen.prefetch_factor} load {chosen.load_ms:2} ±{chosen.spread} step "
            f"{chosen.step_ms:2} cores {chosen.cores} {'in order' if chosen.in_order else 'as ready'} "
            f"{'kept ' if chosen.persistent_workers else 'fresh'}"
        )
        if not runs:
            say(f"{kind} | never undisturbed")
            continue
        model = simulate(replace(runs[0].setting, costs=costs, start_ms=start_ms))
        paces, wholes = [run.ms_per_batch for run in runs], [run.total_ms for run in runs]
        pace, whole = statistics.median(paces), statistics.median(wholes)
        pace_errors.append(model.ms_per_batch / pace - 1)
        whole_errors.append(model.total_ms / whole - 1)
        say(
            f"{kind} | ms/batch {model.ms_per_batch:6.2f} "
            f"measured {pace:6.2f} ({min(paces):.2f}…{max(paces):.2f}) {pace_errors[-1]:+6.1%} | "
            f"whole {model.total_ms:5.0f} measured {whole:5.0f} {whole_errors[-1]:+6.1%} | runs {len(runs)}"
        )
    for name, errors in (("ms/batch", pace_errors), ("whole", whole_errors)):
        sizes = [abs(error) for error in errors] or [0.0]
        say(f"{name}: settings {len(errors)}, mean {statistics.mean(sizes):.1%}, worst {max(sizes):.1%}")
    return pace_errors, whole_errors


if __name__ == "__main__":
    predict(SETTINGS, *(kind(text) for kind, text in zip((int, float), sys.argv[1:], strict=False)))
