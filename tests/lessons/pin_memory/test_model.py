"""The model of lesson 2: transfers within their bounds, and the timeline of every combination of ingredients."""

import itertools
import multiprocessing
import sys
from dataclasses import replace

import pytest
import torch

from answers import solution
from loaderlab.course.panel import Panel
from loaderlab.i18n import language
from loaderlab.lessons.pin_memory import model, pages, running, scene
from loaderlab.lessons.pin_memory.model import MIB, Setting, missing, pace, simulate
from loaderlab.measuring import racing

ALL = [
    Setting(pinned=p, non_blocking=n, second_stream=s, read_loss=r)
    for p, n, s, r in itertools.product((True, False), repeat=4)
]


def sized(setting, copy, link, step):
    """The setting with these times in ms; staging and the pin thread take as long."""
    rate = MIB / copy / 1e6
    return replace(setting, batch_mib=1, staging_gb=rate, pin_gb=rate, link_gb=MIB / link / 1e6, step_ms=step)


@pytest.fixture(autouse=True)
def english():
    language.use("en")


def test_the_curves_reach_the_link_and_what_a_loader_pins_never_more_than_a_core_copies_or_the_link_sends():
    def by_size(variant, link, worker):
        return {
            row["mib"]: row["gb_per_s"] for row in model.curves(link, worker) if row["variant"] == variant
        }

    pinned, slow, fast = (
        by_size("pinned", 25, 8),
        by_size("by_the_loader", 25, 8),
        by_size("by_the_loader", 25, 80),
    )
    assert pinned[256] == pytest.approx(25, rel=0.01) and max(pinned.values()) < 25
    assert slow[256] == pytest.approx(8, rel=0.01) and fast == pinned


@pytest.mark.skipif(sys.platform != "linux", reason="counts page faults as Linux does")
def test_the_pin_thread_reads_as_many_new_pages_as_a_core_that_only_copies_and_memory_that_was_touched_has_none():
    source, into = (torch.ones(2 * pages.BATCH, dtype=torch.uint8) for _ in range(2))
    copied, thread = pages.first_reads(into), pages.pin_thread_turns(into)
    again = pages.second_copy(source, into)
    assert not multiprocessing.active_children()
    assert (
        again[0] < copied[0] / 4 and copied[0] <= 1.5 * thread[0] and min(copied[1], thread[1], again[1]) > 0
    )


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
    """What section 3 says, where staging is slower than the link."""
    setting = Setting(batch_mib=64, step_ms=8, pin_gb=10)
    without = {name: pace(replace(setting, **{name: False})) for name in model.INGREDIENTS}
    one_after_the_other = setting.step_ms + setting.link_ms
    assert pace(setting) == pytest.approx(setting.step_ms)
    assert without["pinned"] == pytest.approx(setting.staging_ms + setting.step_ms)
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


def test_a_loop_without_the_pin_thread_receives_its_batches_itself_and_pinning_saves_that():
    (shown,) = scene.SCENES
    for batch_mib, step_ms in itertools.product((12, 32, 256), (1, 2, 5, 20)):
        pinned = scene.setting_of(**shown.defaults | {"batch_mib": batch_mib, "step_ms": step_ms})
        pageable = replace(pinned, pinned=False)
        assert pace(pageable) == pytest.approx(0.3 * batch_mib + pageable.staging_ms + step_ms)
        assert pace(pageable) > pace(pinned) == pace(replace(pinned, receive_ms_per_mib=0))


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
        closed = step_time(MIB, step, setting.pin_gb, setting.link_gb, True, overlap)
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


def test_the_sentence_says_what_sets_the_pace():
    def said(**values):
        return scene.sentence(replace(Setting(), **values))

    assert "the step sets the pace" in said()
    assert said(batch_mib=64).endswith("the pin thread sets the pace.")
    assert said(batch_mib=64, pinned=False).endswith("with the pin thread the loop would be no faster.")
    received = said(batch_mib=64, pinned=False, receive_ms_per_mib=0.3)
    assert received.startswith("Per batch: receiving 19.2 ms,") and received.endswith(
        "Missing: pinned memory."
    )
    assert said(batch_mib=64, pin_gb=12, link_gb=5).endswith("the link sets the pace.")


def test_the_loop_of_the_beginning_waits_for_half_of_its_time_until_both_switches_are_on():
    setting = Setting(batch_mib=14, link_gb=3, step_ms=5, pinned=False, second_stream=False)
    waits = {
        (pinned, second): 1 - 5 / pace(replace(setting, pinned=pinned, second_stream=second))
        for pinned, second in itertools.product((False, True), repeat=2)
    }
    assert waits.pop((True, True)) == pytest.approx(0)
    assert all(share == pytest.approx(0.5, abs=0.01) for share in waits.values())
    (shown,) = scene.SCENES
    picture = shown.draw(**shown.defaults)
    assert Panel(shown, shown.defaults, picture).state["shown"] == ["pinned", "second_stream"]
