"""How well does the model predict a real DataLoader?

Method: the settings below were chosen before looking at a result. The costs of the machinery (launching,
starting, stopping a worker; sending, receiving a batch) are calibrated on three other settings, in this same
run. Each setting is then run for real, in turns with all the others, and its median is held against the
prediction: time per batch once the pipeline runs, and the whole time with starting and stopping.

Command: python tests/prediction.py [repeats]
"""

from __future__ import annotations

import statistics
import sys
from dataclasses import replace
from itertools import pairwise

from loaderlab.measure import compare
from loaderlab.pipeline import MAIN, Costs, Setting, Timeline, simulate
from loaderlab.rehearsal import rehearse


def setting(w, p, load, spread, step, cores, in_order=True, persistent=False, batches=32):  # noqa: ANN001
    """One row of the table below."""
    return Setting(w, p, load, spread, step, cores, in_order, persistent, batches=batches)


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


def calibrate(repeats: int = 3) -> tuple[Costs, float]:
    """The costs of the machinery on this machine, and what starting one worker takes, in ms."""
    runs = compare(
        {
            "stepping": lambda: rehearse(Setting(2, 4, 3.0, 0.0, 6.0)),
            "loading": lambda: rehearse(Setting(1, 4, 3.0, 0.0, 0.0)),
            "starting": lambda: rehearse(Setting(6, 1, 0.0, 0.0, 0.0)),
        },
        repeats,
    )
    stepping, loading, starting = (
        [(run, epoch) for run in runs[name] for epoch in range(run.setting.epochs)] for name in runs
    )

    def median_of(pairs, lengths) -> float:  # noqa: ANN001
        return statistics.median(value for run, epoch in pairs for value in lengths(run, epoch))

    def receiving(run: Timeline, epoch: int) -> list[float]:
        inner = [d for d in run.deliveries if d.epoch == epoch][4:-4]
        return [after.done - before.done - run.setting.step_ms for before, after in pairwise(inner)]

    def sending(run: Timeline, epoch: int) -> list[float]:
        loads = [s for s in run.spans if s.kind == "load" and s.epoch == epoch]
        return [b.start - a.start - run.setting.load_ms for a, b in pairwise(loads)]

    def stopping(run: Timeline, epoch: int) -> list[float]:
        return [
            (s.end - s.start) / run.setting.num_workers for s in run.spans if s.kind == "stop" and s.epoch == epoch
        ]

    def launching(run: Timeline, epoch: int) -> list[float]:
        return [s.end - s.start for s in run.spans if s.kind == "launch" and s.epoch == epoch]

    def all_started(run: Timeline, epoch: int) -> list[float]:
        start = run.epochs[epoch][0]
        return [max(s.end for s in run.spans if s.kind == "start" and s.epoch == epoch) - start]

    launch_ms = median_of(loading, launching)  # with one worker, nothing disturbs it
    setting = starting[0][0].setting
    work = median_of(starting, all_started) * setting.cores / setting.num_workers
    costs = Costs(
        launch_ms,
        median_of(starting, stopping),
        max(0.0, median_of(loading, sending)),
        max(0.0, median_of(stepping, receiving)),
    )
    return costs, max(0.0, work - launch_ms)


def main(settings: list[Setting] = SETTINGS, repeats: int = 3, show: bool = True) -> tuple[list[float], list[float]]:
    """Errors of the pace and of the whole time, as shares of the measured, one per setting."""
    costs, start_ms = calibrate()
    if show:
        print(f"{costs}, start {start_ms:.1f} ms")
    runs = compare({i: lambda s=s: rehearse(s) for i, s in enumerate(settings)}, repeats)
    pace_errors, whole_errors = [], []
    for i, chosen in enumerate(settings):
        model = simulate(replace(chosen, cores=runs[i][0].setting.cores, costs=costs, start_ms=start_ms))
        pace = statistics.median(run.ms_per_batch for run in runs[i])
        whole = statistics.median(run.total_ms for run in runs[i])
        pace_errors.append(model.ms_per_batch / pace - 1)
        whole_errors.append(model.total_ms / whole - 1)
        if show:
            low, high = (pick(run.ms_per_batch for run in runs[i]) for pick in (min, max))
            print(
                f"W{chosen.num_workers} P{chosen.prefetch_factor} load {chosen.load_ms:2} ±{chosen.spread} "
                f"step {chosen.step_ms:2} cores {chosen.cores} {'in order ' if chosen.in_order else 'as ready '}"
                f"{'kept ' if chosen.persistent_workers else 'fresh'} | ms/batch {model.ms_per_batch:6.2f} "
                f"measured {pace:6.2f} ({low:.2f}…{high:.2f}) {pace_errors[-1]:+6.1%} | "
                f"whole {model.total_ms:5.0f} measured {whole:5.0f} {whole_errors[-1]:+6.1%}"
            )
    if show:
        for name, errors in (("ms/batch", pace_errors), ("whole", whole_errors)):
            sizes = [abs(e) for e in errors]
            print(f"{name}: {len(errors)} settings, mean {statistics.mean(sizes):.1%}, worst {max(sizes):.1%}")
    return pace_errors, whole_errors


if __name__ == "__main__":
    main(repeats=int(sys.argv[1]) if len(sys.argv) > 1 else 3)
