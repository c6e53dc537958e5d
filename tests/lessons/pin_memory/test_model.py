"""The model of lesson 2: transfers within their bounds, and the timeline of every combination of ingredients."""

import itertools
import multiprocessing
import sys
from dataclasses import replace

import pytest
import torch

from answers import solution
from loaderlab.i18n import language
from loaderlab.lessons.pin_memory import model, pages, racing, running, scene
from loaderlab.lessons.pin_memory.model import MIB, Setting, missing, pace, simulate

ALL = [
    Setting(pinned=p, non_blocking=n, second_stream=s, read_loss=r)
    for p, n, s, r in itertools.product((True, False), repeat=4)
]


def sized(setting, copy, link, step):
    """The setting with these times in ms."""
    return replace(setting, batch_mib=1, host_gb=MIB / copy / 1e6, link_gb=MIB / link / 1e6, step_ms=step)


@pytest.fixture(autouse=True)
def english():
    language.use("en")


def test_the_curves_lie_within_their_bounds_and_reach_the_link():
    rows = list(model.curves(host_gb_per_s=10, link_gb_per_s=25))
    by = {
        v: {r["mib"]: r["gb_per_s"] for r in rows if r["variant"] == v}
        for v in ("pinned", "pageable_best", "pageable_worst")
    }
    for mib, rate in by["pinned"].items():
        assert by["pageable_worst"][mib] < by["pageable_best"][mib] <= rate < 25
    assert by["pinned"][256] == pytest.approx(25, rel=0.01)
    assert by["pageable_best"][256] == pytest.approx(10, rel=0.01)
    assert by["pageable_worst"][256] == pytest.approx(1 / (1 / 10 + 1 / 25), rel=0.01)


def test_a_batch_from_a_worker_has_the_rate_of_a_first_read_and_never_more_than_the_link():
    rows = [row for row in model.curves(20, 25, worker_gb_per_s=8) if row["variant"] == "from_worker"]
    assert rows[-1]["gb_per_s"] == pytest.approx(8, rel=0.01)
    fast = [row for row in model.curves(20, 25, worker_gb_per_s=80) if row["variant"] == "from_worker"]
    assert fast[-1]["gb_per_s"] == pytest.approx(25, rel=0.01)
    assert not [row for row in model.curves(20, 25) if row["variant"] == "from_worker"]


@pytest.mark.skipif(sys.platform != "linux", reason="counts page faults as Linux does")
def test_whoever_reads_a_batch_from_a_worker_first_pays_page_faults():
    kept = torch.zeros(pages.BATCH, dtype=torch.uint8)
    batches = pages.from_a_worker(3 * pages.BATCH)
    faults = []
    for batch in itertools.islice(batches, 2):
        for _read in ("first", "again"):
            before = pages.page_faults()
            kept.copy_(batch)
            faults.append(pages.page_faults() - before)
    batches.close()
    assert not multiprocessing.active_children()
    # The system maps up to 16 pages, or 2 MiB, at once.
    assert min(faults[::2]) >= pages.BATCH / 2**21 and max(faults[1::2]) < min(faults[::2])


def test_taking_away_one_ingredient_ends_the_overlap_and_pinning_still_saves_the_staging():
    """What section 3 says, where the CPU copies more slowly than the link sends."""
    setting = Setting(batch_mib=64, step_ms=8)
    without = {name: pace(replace(setting, **{name: False})) for name in model.INGREDIENTS}
    one_after_the_other = setting.step_ms + setting.link_ms
    assert pace(setting) == pytest.approx(setting.step_ms)
    assert without["pinned"] == pytest.approx(setting.copy_ms + setting.step_ms)
    assert without["second_stream"] == without["non_blocking"] == pytest.approx(one_after_the_other)
    assert without["pinned"] > without["second_stream"] + 3


class Clock:
    """A device whose clock ramps up: each of its products takes 10 ms while it is cold, later 1 ms."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        for name in ("current_stream", "synchronize"):
            monkeypatch.setattr(torch.cuda, name, lambda: None)
        monkeypatch.setattr(torch, "eye", lambda side, device: self)
        monkeypatch.setattr(running, "_mark", lambda stream: Mark(self.now))
        monkeypatch.setattr(running.time, "perf_counter", lambda: self.now)

    def __matmul__(self, _other):
        self.now += 0.01 if self.now < 0.15 else 0.001
        return self

    def __getitem__(self, _index):
        return 0


class Mark:
    def __init__(self, at):
        self.at = at

    def synchronize(self):
        pass

    def elapsed_time(self, end):
        return 1000 * (end.at - self.at)


def test_one_disturbed_run_does_not_change_a_time(monkeypatch):
    clock = Clock(monkeypatch)
    lasting = iter([0.9, 0.02, 0.5, 0.03])

    def action():
        clock.now += next(lasting)

    assert running.milliseconds(action) == pytest.approx(30)


def test_a_computation_is_measured_on_a_device_that_is_warm(monkeypatch):
    clock = Clock(monkeypatch)
    step = running.computation(lasting_ms=20)
    began = clock.now
    step([0])
    assert clock.now - began == pytest.approx(0.02)


def test_pcie_on_paper():
    assert [round(model.paper_rate(g), 2) for g in (8, 16, 32)] == [15.75, 31.51, 63.02]


@pytest.mark.parametrize(("copy", "link", "step"), [(1, 2, 5), (1, 5, 2), (7, 2, 4), (3, 3, 3)])
def test_the_pace_of_each_combination_when_the_loss_is_read(copy, link, step):
    for setting in ALL:
        if setting.read_loss:
            if not setting.pinned:
                expected = max(copy, link) + step
            elif setting.non_blocking and setting.second_stream:
                expected = max(copy, link, step)
            else:
                expected = max(copy, link + step)
            assert pace(sized(setting, copy, link, step)) == pytest.approx(expected), setting


@pytest.mark.parametrize(("copy", "link", "step"), [(1, 2, 5), (1, 5, 2), (7, 2, 4), (3, 3, 3)])
def test_the_pace_of_each_combination_when_the_host_runs_ahead(copy, link, step):
    for setting in ALL:
        if not setting.read_loss:
            if setting.second_stream:
                expected = max(copy, link, step)
            else:
                expected = max(copy, link + step) if setting.pinned else max(copy, link) + step
            assert pace(sized(setting, copy, link, step)) == pytest.approx(expected), setting


def test_nothing_runs_twice_at_once_and_no_step_before_its_copy():
    for setting in ALL:
        run = simulate(sized(setting, 2, 3, 4), 12)
        for row in ("pin_thread", "link", "device", "host"):
            spans = [s for s in run.spans if s.row == row]
            assert all(a.end <= b.start + 1e-9 for a, b in itertools.pairwise(spans)), (setting, row)
        copied = {s.batch: s.end for s in run.spans if s.row == "link"}
        for step in (s for s in run.spans if s.row == "device"):
            assert step.start >= copied[step.batch] - 1e-9


def test_missing_names_what_is_switched_off_and_matters():
    on = sized(Setting(), 1, 2, 5)
    assert missing(on) == ()
    for name in model.INGREDIENTS:
        assert missing(replace(on, **{name: False})) == (name,)
    ahead = replace(on, read_loss=False, pinned=False, non_blocking=False)
    assert missing(ahead) == ()
    assert missing(replace(ahead, second_stream=False)) == ("second_stream",)


def test_the_closed_form_of_the_exercise_is_the_model_where_both_speak():
    step_time = solution("pin_memory", "step_time").made
    for copy, link, step, overlap in itertools.product((1, 6), (2, 5), (1, 4, 9), (True, False)):
        setting = sized(Setting(second_stream=overlap), copy, link, step)
        closed = step_time(MIB, step, setting.host_gb, setting.link_gb, True, overlap)
        assert closed == pytest.approx(pace(setting))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU to measure")
def test_without_cuda_measuring_says_that_there_is_nothing_to_measure():
    picture = scene.measure(**{p.name: p.default for p in scene.PARAMETERS})
    assert "no CUDA GPU" in picture.text


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
@pytest.mark.parametrize("setting", ALL)
def test_measured_for_real(setting):
    _found, run = running.run_for_real(setting)
    assert len(run.ends) == running.STEPS and run.ms_per_step > 0


def test_the_device_of_the_stale_read_stops_where_it_is_told_to():
    device, target = racing.Device(), torch.zeros(100)
    device.copy_(target, torch.ones(100))
    seen = [int(target.sum())]
    for _ in range(racing.PIECES):
        device.advance(1)
        seen.append(int(target.sum()))
    device.synchronize()
    assert seen == [0, 25, 50, 75, 100]


def test_fresh_memory_faults_and_reused_memory_does_not():
    buffer = pages.fresh(16 * MIB)

    def faults():
        before = pages.page_faults()
        buffer.fill_(1)
        return pages.page_faults() - before

    first, second = faults(), faults()
    assert first >= 8 and second < first / 4
