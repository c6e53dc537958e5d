"""Lesson 2: each wrong answer fails with the finding meant for it, in every language."""

import pytest
import torch
from answers import check_failing, check_solved, check_untouched

from loaderlab.lessons.pin_memory import exercises as lesson
from loaderlab.lessons.pin_memory import probes, witness

NAME = "pin_memory"
CODES = ["en", "fr", "pl"]


def times(n, host, link):
    return n / host / 1e6, n / link / 1e6


def step_time(n, step, host, link, pinned, overlap):
    return lesson.step_time(n, step, host, link, pinned, overlap)


def unless(change):
    """The right answer, except where ``change`` gives another one."""

    def answer(n, step, host, link, pinned, overlap):
        copy, wire = times(n, host, link)
        other = change(copy, wire, step, pinned, overlap)
        return step_time(n, step, host, link, pinned, overlap) if other is None else other

    return answer


STEP_TIMES = {
    "seconds": (lambda *a: step_time(*a) / 1000, {0, 1, 2, 3, 4}),
    "MiB for MB": (lambda n, s, *r: step_time(n * 1e6 / 2**20, s, *r), {0, 1, 2, 3, 4}),
    "pageable at best": (
        unless(lambda c, w, s, pinned, overlap: None if pinned else max(c, w) + s),
        {0, 4},
    ),
    "no staging": (unless(lambda c, w, s, pinned, overlap: None if pinned else w + s), {0, 4}),
    "adds the pin thread": (
        unless(lambda c, w, s, pinned, overlap: c + w + s if pinned and not overlap else None),
        {1, 3},
    ),
    "forgets the pin thread": (
        unless(lambda c, w, s, pinned, overlap: (max(w, s) if overlap else w + s) if pinned else None),
        {3},
    ),
    "pin thread only with overlap": (
        unless(lambda c, w, s, pinned, overlap: w + s if pinned and not overlap else None),
        {3},
    ),
    "ignores overlap": (unless(lambda c, w, s, pinned, overlap: max(c, w + s) if pinned else None), {2}),
    "overlaps what is pageable": (
        unless(lambda c, w, s, pinned, overlap: max(c + w, s) if overlap and not pinned else None),
        {4},
    ),
    "overlap makes it pinned": (
        unless(lambda c, w, s, pinned, overlap: max(c, w, s) if overlap else None),
        {4},
    ),
    "no return": (lambda *a: None, {0, 1, 2, 3, 4}),
}


class Batch:
    """What the exercise gives; the answers differ in how they pin."""

    def __init__(self, fields):
        self.fields = fields


def pinned(value):
    if isinstance(value, torch.Tensor):
        return value.pin_memory()
    if isinstance(value, dict):
        return {key: pinned(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(pinned(item) for item in value)
    return value


def batch(pin_memory):
    return type("PinnableBatch", (Batch,), {"pin_memory": pin_memory})


def with_fields(change):
    """An answer that replaces the fields by what ``change`` makes of them, and returns itself."""

    def pin_memory(self):
        self.fields = change(self.fields)
        return self

    return batch(pin_memory)


def forgets_return(self):
    self.fields = pinned(self.fields)


def drops_copies(value):
    if isinstance(value, torch.Tensor):
        value.pin_memory()
    for item in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    ):
        drops_copies(item)
    return value


def top_level(value):
    return {k: v.pin_memory() if isinstance(v, torch.Tensor) else v for k, v in value.items()}


def no_tuples(value):
    if isinstance(value, torch.Tensor):
        return value.pin_memory()
    if isinstance(value, dict):
        return {key: no_tuples(item) for key, item in value.items()}
    return [no_tuples(item) for item in value] if isinstance(value, list) else value


def only_lists(value):
    if isinstance(value, torch.Tensor):
        return value.pin_memory()
    if isinstance(value, dict):
        return {key: only_lists(item) for key, item in value.items()}
    return [only_lists(item) for item in value] if isinstance(value, list | tuple) else value


def drops_others(value):
    if isinstance(value, torch.Tensor):
        return value.pin_memory()
    if isinstance(value, dict):
        return {
            k: drops_others(v) for k, v in value.items() if isinstance(v, torch.Tensor | dict | list | tuple)
        }
    return type(value)(drops_others(v) for v in value) if isinstance(value, list | tuple) else value


def to_text(value):
    if isinstance(value, dict):
        return {key: to_text(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(to_text(item) for item in value)
    return value.pin_memory() if isinstance(value, torch.Tensor) else str(value)


def everything_pins(value):
    return {key: item.pin_memory() for key, item in value.items()}


BATCHES = {
    "forgets return": (batch(forgets_return), {0, 1, 2, 3, 4}),
    "returns the dictionary": (batch(lambda self: pinned(self.fields)), {0, 1, 2, 3, 4}),
    "drops the copies": (with_fields(drops_copies), {1, 2, 3, 4}),
    "does nothing": (batch(lambda self: self), {1, 2, 3, 4}),
    "only the top level": (with_fields(top_level), {2}),
    "not into tuples": (with_fields(no_tuples), {2}),
    "tuples become lists": (with_fields(only_lists), {3}),
    "drops the others": (with_fields(drops_others), {4}),
    "makes text of the others": (with_fields(to_text), {4}),
    "no check for tensors": (with_fields(everything_pins), {2, 3, 4}),
    "no method": (Batch, {1, 2, 3, 4}),
}
RIGHT_BATCHES = {
    "itself": with_fields(pinned),
    "a new one": batch(lambda self: type(self)(pinned(self.fields))),
}


class Prefetcher:
    """The right answer, in parts that the wrong ones replace."""

    non_blocking = True

    def __init__(self, loader):
        self.loader = loader
        self.stream = torch.cuda.Stream()

    def __len__(self):
        return len(self.loader)

    def __iter__(self):
        ahead = None
        for batch in self.loader:
            following = self.send(batch)
            if ahead is not None:
                yield self.ready(*ahead)
            ahead = following
        if ahead is not None:
            yield self.ready(*ahead)

    def send(self, batch):
        with torch.cuda.stream(self.stream):
            sent = [tensor.to("cuda", non_blocking=self.non_blocking) for tensor in batch]
            return sent, self.stream.record_event()

    def ready(self, sent, copied):
        self.wait(copied)
        self.keep(sent)
        return sent

    def wait(self, copied):
        torch.cuda.current_stream().wait_event(copied)

    def keep(self, sent):
        for tensor in sent:
            tensor.record_stream(torch.cuda.current_stream())


def changed(base=Prefetcher, **parts):
    return type("DevicePrefetcher", (base,), parts)


def plain_loop(self):
    for batch in self.loader:
        yield [tensor.to("cuda", non_blocking=True) for tensor in batch]


def own_stream_no_prefetch(self):
    for batch in self.loader:
        yield self.ready(*self.send(batch))


def all_at_once(self):
    for sent, copied in [self.send(batch) for batch in self.loader]:
        yield self.ready(sent, copied)


def forgets_last(self):
    ahead = None
    for batch in self.loader:
        following = self.send(batch)
        if ahead is not None:
            yield self.ready(*ahead)
        ahead = following


def fails_when_empty(self):
    batches = iter(self.loader)
    ahead = self.send(next(batches))
    for batch in batches:
        following = self.send(batch)
        yield self.ready(*ahead)
        ahead = following
    yield self.ready(*ahead)


def sends_after_yield(self):
    ahead = None
    for batch in self.loader:
        if ahead is not None:
            yield self.ready(*ahead)
        ahead = self.send(batch)
    if ahead is not None:
        yield self.ready(*ahead)


def yields_inside(self):
    with torch.cuda.stream(self.stream):
        yield from Prefetcher.__iter__(self)


def wait_stream_late(self, _copied):
    torch.cuda.current_stream().wait_stream(self.stream)


def wrong_way(self, _copied):
    self.stream.wait_stream(torch.cuda.current_stream())


def only_first(self, sent):
    sent[0].record_stream(torch.cuda.current_stream())


def records_copy_stream(self, sent):
    for tensor in sent:
        tensor.record_stream(self.stream)


def pins_first(self, batch):
    return Prefetcher.send(
        self, [witness.Tensor.of(t, t.batch, t.field, "cpu", False).pin_memory() for t in batch]
    )


class CurrentAtInit(Prefetcher):
    """Takes the stream that is current when it is made, not where the batch is used."""

    def __init__(self, loader):
        super().__init__(loader)
        self.main = torch.cuda.default_stream()

    def wait(self, copied):
        self.main.wait_event(copied)


class KeepsState(Prefetcher):
    """One iterator for all passes."""

    def __init__(self, loader):
        super().__init__(loader)
        self.batches = iter(loader)

    def __iter__(self):
        ahead = None
        for batch in self.batches:
            following = self.send(batch)
            if ahead is not None:
                yield self.ready(*ahead)
            ahead = following
        if ahead is not None:
            yield self.ready(*ahead)


def first_field_only(self, sent, copied):
    return Prefetcher.ready(self, sent, copied)[:1]


def swapped_fields(self, sent, copied):
    return Prefetcher.ready(self, sent, copied)[::-1]


def event_on_current_stream(self, batch):
    sent, _copied = Prefetcher.send(self, batch)
    return sent, torch.cuda.current_stream().record_event()


def event_before_copies(self, batch):
    copied = self.stream.record_event()
    return Prefetcher.send(self, batch)[0], copied


def copies_wait_for_all(self, batch):
    """Waits too late: the copy of the next batch must come after the step of this one."""
    torch.cuda.current_stream().synchronize()
    return Prefetcher.send(self, batch)


NOTHING = {"keep": lambda self, sent: None}
PREFETCHERS = {
    "plain loop": (changed(__iter__=plain_loop), {1, 3, 4, 5, 6}),
    "own stream, but nothing ahead": (changed(__iter__=own_stream_no_prefetch), {3}),
    "all at once": (changed(__iter__=all_at_once), {3}),
    "forgets the last batch": (changed(__iter__=forgets_last), {0, 1, 2, 3, 4, 5, 6}),
    "fails for an empty loader": (changed(__iter__=fails_when_empty), {0}),
    "sends after handing out": (changed(__iter__=sends_after_yield), {3}),
    "hands out inside the stream": (changed(__iter__=yields_inside), {1, 4, 5, 6}),
    "no wait": (changed(wait=lambda self, copied: None), {4}),
    "waits for the next copy too": (changed(wait=wait_stream_late), {5}),
    "waits the wrong way round": (changed(wait=wrong_way), {4}),
    "synchronises the host": (changed(wait=lambda self, copied: copied.synchronize()), {2}),
    "synchronises the device": (changed(wait=lambda self, copied: torch.cuda.synchronize()), {2, 5}),
    "blocking copies": (changed(non_blocking=False), {2, 5}),
    "no record_stream": (changed(**NOTHING), {6}),
    "records one field only": (changed(keep=only_first), {6}),
    "records the copy stream": (changed(keep=records_copy_stream), {6}),
    "default stream only": (CurrentAtInit, {4}),
    "one iterator for all passes": (KeepsState, {0}),
    "loses a field": (changed(ready=first_field_only), {0}),
    "swaps the fields": (changed(ready=swapped_fields), {0}),
    "event on the current stream": (changed(send=event_on_current_stream), {4}),
    "event before the copies": (changed(send=event_before_copies), {4}),
    "hands out nothing": (changed(__iter__=lambda self: iter(())), {0, 1, 2, 3, 4, 5, 6}),
    "synchronises before each copy": (changed(send=copies_wait_for_all), {2}),
    "pins in the loop": (changed(send=pins_first), {2}),
}


class ApexStyle(Prefetcher):
    """`wait_stream` before the next copy is issued, as NVIDIA's examples do it; state in attributes."""

    def __iter__(self):
        self.batches = iter(self.loader)
        self.preload()
        while self.ahead is not None:
            torch.cuda.current_stream().wait_stream(self.stream)
            batch = self.ahead
            for tensor in batch:
                tensor.record_stream(torch.cuda.current_stream())
            self.preload()
            yield batch

    def preload(self):
        try:
            batch = next(self.batches)
        except StopIteration:
            self.ahead = None
            return
        with torch.cuda.stream(self.stream):
            self.ahead = [tensor.cuda(non_blocking=True) for tensor in batch]


class CopiesWait(Prefetcher):
    """No `record_stream`: each copy waits for the steps that were launched before it."""

    def send(self, batch):
        self.stream.wait_stream(torch.cuda.current_stream())
        return super().send(batch)

    def keep(self, sent):
        pass


RIGHT_PREFETCHERS = {"events": Prefetcher, "as apex does": ApexStyle, "copies wait": CopiesWait}

RACES = {
    "none": (lambda: set(), {0, 1}),
    "all": (lambda: set("ABCDEFGH"), {0, 1}),
    "every non_blocking": (lambda: set("ACDEFGH"), {0, 1}),
    "only reads": (lambda: {"A", "E", "H"}, {0}),
    "forgets the direction": (lambda: {"A", "D", "E"}, {1}),
    "same stream races": (lambda: {"A", "D", "E", "G", "H"}, {1}),
    "swapped": (lambda: set("BCFG"), {0, 1}),
    "other letters": (lambda: set("ADEHX"), {0, 1}),
    "no return": (lambda: None, {0, 1}),
}
CASES = {
    "step_time": STEP_TIMES,
    "PinnableBatch": BATCHES,
    "DevicePrefetcher": PREFETCHERS,
    "find_the_race": RACES,
}


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(
    ("exercise", "answer", "failing"),
    [
        pytest.param(exercise, answer, failing, id=f"{exercise}-{name}")
        for exercise, cases in CASES.items()
        for name, (answer, failing) in cases.items()
    ],
)
def test_a_wrong_answer_fails_with_the_finding_meant_for_it(exercise, answer, failing, code):
    check_failing(NAME, exercise, answer, failing, code)


@pytest.mark.parametrize(
    ("exercise", "answer"),
    [
        ("step_time", lesson.step_time),
        *(("PinnableBatch", answer) for answer in RIGHT_BATCHES.values()),
        *(("DevicePrefetcher", answer) for answer in RIGHT_PREFETCHERS.values()),
        ("find_the_race", lambda: ["a", "D", "E", "H"]),
        ("find_the_race", lambda: "A, D, E, H"),
    ],
)
def test_right_answers_that_differ_from_the_solution_get_full_points(exercise, answer):
    check_solved(NAME, exercise, answer)


def untouched(*_arguments):
    raise NotImplementedError


@pytest.mark.parametrize(
    ("exercise", "answer"),
    [
        ("step_time", untouched),
        ("PinnableBatch", batch(untouched)),
        ("DevicePrefetcher", changed(__iter__=untouched)),
        ("find_the_race", untouched),
    ],
)
def test_an_untouched_answer_is_not_attempted(exercise, answer):
    check_untouched(NAME, exercise, answer)


def test_probing_leaves_torch_as_it_was():
    before = (torch.cuda.Stream, torch.cuda.current_stream, torch.cuda.is_available, torch.Tensor.pin_memory)
    probes.probe_prefetcher(Prefetcher)
    probes.probe_pinnable(RIGHT_BATCHES["itself"])
    assert before == (
        torch.cuda.Stream,
        torch.cuda.current_stream,
        torch.cuda.is_available,
        torch.Tensor.pin_memory,
    )


def test_a_stream_wait_covers_what_was_enqueued_before_it_and_nothing_later():
    with witness.watching() as log:
        side = witness.Stream()
        with witness._stream(side):
            log.enqueue("copy", 0)
        log.default.wait_stream(side)
        with witness._stream(side):
            log.enqueue("copy", 1)
        log.enqueue("step", 0)
    assert log.operations[2]["after"] == [0]
