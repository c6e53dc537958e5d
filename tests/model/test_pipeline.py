"""The model of a DataLoader does what the code of the DataLoader does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loaderlab.i18n.errors import LabError
from loaderlab.model.pipeline import (
    MAIN,
    Costs,
    Setting,
    enough_workers,
    load_times,
    long_run,
    rounds,
    simulate,
)

FREE = Costs(0.0, 0.0, 0.0, 0.0)


def ideal(**values: object) -> Setting:
    """A setting in which the machinery costs nothing, so that theory gives exact numbers."""
    return Setting(**{"start_ms": 0.0, "costs": FREE, "cores": 16, **values})


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
@pytest.mark.parametrize("ahead", [1, 2, 4])
def test_prefetch_factor_times_workers_are_requested_before_the_first_batch(workers: int, ahead: int) -> None:
    run = simulate(Setting(workers, ahead, batches=40, epochs=1))
    first = run.deliveries[0].ready
    assert sum(request.time < first for request in run.requests) == workers * ahead


def test_one_more_batch_is_requested_for_each_one_yielded() -> None:
    run = simulate(Setting(2, 3, spread=0.5, batches=40, epochs=1))
    later = [request.time for request in run.requests[6:]]
    assert later == [delivery.ready for delivery in run.deliveries[:34]]


def test_requests_go_round_robin_and_batches_come_in_order() -> None:
    run = simulate(Setting(3, 2, spread=1.0, epochs=1))
    assert [request.worker for request in run.requests] == [i % 3 for i in range(24)]
    assert [delivery.batch for delivery in run.deliveries] == list(range(24))
    assert [delivery.worker for delivery in run.deliveries] == [i % 3 for i in range(24)]


def test_a_slow_worker_holds_up_the_others_only_in_order() -> None:
    slow = ideal(num_workers=3, load_ms=10, step_ms=0, slow_factor=10, batches=30, epochs=1)
    ordered, ready = simulate(slow), simulate(replace(slow, in_order=False))
    assert ordered.total_ms == pytest.approx(10 * 100)  # 10 of 30 batches at 100 ms, one after the other
    assert ready.total_ms < ordered.total_ms / 2
    assert [d.batch for d in ready.deliveries] != sorted(d.batch for d in ready.deliveries)
    by_worker = [sum(d.worker == w for d in ready.deliveries) for w in range(3)]
    assert by_worker[0] < 5
    assert min(by_worker[1:]) > 10


@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("workers", [0, 1, 3, 16])
def test_every_batch_of_every_epoch_comes_once(workers: int, in_order: bool) -> None:
    run = simulate(Setting(workers, 3, spread=1.0, in_order=in_order, batches=20, epochs=3))
    for epoch in range(3):
        assert sorted(d.batch for d in run.deliveries if d.epoch == epoch) == list(range(20))


def test_no_worker_owes_more_than_prefetch_factor_batches_when_not_in_order() -> None:
    run = simulate(Setting(4, 2, spread=1.0, in_order=False, slow_factor=8, batches=60, epochs=1))
    events = [(r.time, 1, r.worker) for r in run.requests] + [(d.ready, -1, d.worker) for d in run.deliveries]
    owed = [0] * 4
    for _time, change, worker in sorted(events):
        owed[worker] += change
        assert owed[worker] <= 2


@pytest.mark.parametrize(
    ("workers", "cores", "load", "step", "period"),
    [
        (0, 16, 20, 10, 30.0),  # load and step in turns
        (1, 16, 20, 10, 20.0),  # one worker beside the step
        (2, 16, 20, 5, 10.0),
        (4, 16, 20, 0, 5.0),
        (4, 2, 20, 0, 10.0),  # more workers than cores
        (8, 2, 20, 15, 15.0),  # the step is the limit
    ],
)
def test_the_pace_is_that_of_the_narrowest_place(
    workers: int, cores: int, load: float, step: float, period: float
) -> None:
    run = long_run(ideal(num_workers=workers, cores=cores, load_ms=load, step_ms=step))
    assert run.ms_per_batch == pytest.approx(period, rel=0.01)
    assert run.wait_share == pytest.approx(1 - step / period, abs=0.01)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_what_receiving_a_batch_takes_no_number_of_workers_removes(workers: int) -> None:
    setting = Setting(workers, load_ms=1, step_ms=10, cores=16, batch_mib=8)
    assert setting.receive_ms == pytest.approx(0.2 + 8 * 0.3)
    assert long_run(setting).ms_per_batch == pytest.approx(10 + setting.receive_ms, rel=0.03)
    assert long_run(replace(setting, num_workers=0)).ms_per_batch == pytest.approx(11)  # nobody sends


def test_a_stalled_consumer_stops_the_workers() -> None:
    run = simulate(Setting(2, 2, load_ms=1, step_ms=100, batches=12, epochs=1))
    assert max(level for _time, level in run.queue) == 4  # prefetch_factor x num_workers, and not one more


def test_persistent_workers_start_once() -> None:
    fresh, kept = (
        simulate(Setting(4, start_ms=500)),
        simulate(Setting(4, start_ms=500, persistent_workers=True)),
    )
    assert sum(span.kind == "start" for span in fresh.spans) == 8
    assert sum(span.kind == "start" for span in kept.spans) == 4
    assert fresh.first_ms[1] > 500
    assert kept.first_ms[1] < 60
    assert kept.first_ms[0] == fresh.first_ms[0]


def test_without_workers_the_main_process_loads_and_nothing_starts() -> None:
    run = simulate(Setting(0, load_ms=20, step_ms=10))
    assert {(span.row, span.kind) for span in run.spans} == {(MAIN, "load")}
    assert run.queue == []
    assert [end - start for start, end in run.epochs] == [24 * 30.0] * 2


def test_loading_never_uses_more_processor_than_there_is() -> None:
    setting = Setting(6, 2, spread=0.7, cores=2, step_ms=1)
    run = simulate(setting)
    for begin, end in run.epochs:
        assert sum(load_times(setting)) <= 2 * (end - begin)
    loads = [span for span in run.spans if span.kind == "load"]
    assert all(span.end - span.start >= load_times(setting)[span.batch] - 1e-9 for span in loads)


def test_load_times_have_the_mean_and_the_spread_asked_for() -> None:
    setting = Setting(load_ms=20, spread=0.5, batches=96)
    times = load_times(setting)
    mean = sum(times) / 96
    deviation = (sum((t - mean) ** 2 for t in times) / 96) ** 0.5
    assert mean == pytest.approx(20)
    assert deviation / mean == pytest.approx(0.5, rel=0.1)
    assert times == load_times(setting)


def test_the_same_setting_gives_the_same_timeline() -> None:
    setting = Setting(5, 3, spread=0.8, in_order=False)
    assert simulate.__wrapped__(setting) == simulate.__wrapped__(setting)


def test_enough_workers_is_the_fewest_at_the_best_pace() -> None:
    assert enough_workers(ideal(load_ms=40, step_ms=11, prefetch_factor=4))[0] == 4
    n, best = enough_workers(ideal(load_ms=40, step_ms=1, cores=2))
    assert n == 2
    assert best.wait_share == pytest.approx(0.95, abs=0.01)  # the cores are the limit
    assert enough_workers(ideal(load_ms=1, step_ms=100))[0] == 0


def test_epochs_come_in_whole_rounds() -> None:
    for workers in range(17):
        batches = rounds(Setting(workers)).batches
        assert batches >= 24
        assert batches % max(1, workers) == 0


def test_more_workers_than_batches_is_no_problem() -> None:
    run = simulate(Setting(8, 2, batches=3, start_ms=2000, epochs=2))
    assert len(run.deliveries) == 6
    assert run.ms_per_batch > 0


@pytest.mark.parametrize("wrong", [{"num_workers": -1}, {"prefetch_factor": 0}, {"cores": 0}, {"batches": 0}])
def test_an_impossible_setting_is_refused_by_name(wrong: dict[str, int]) -> None:
    with pytest.raises(LabError, match=next(iter(wrong))):
        Setting(**wrong)
