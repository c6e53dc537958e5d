# %% given
# What the answers to this exercise share.
import torch


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

# %% right: as apex does
class DevicePrefetcher(Prefetcher):
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

# %% right: copies wait
class DevicePrefetcher(Prefetcher):
    """No `record_stream`: each copy waits for the steps that were launched before it."""

    def send(self, batch):
        self.stream.wait_stream(torch.cuda.current_stream())
        return super().send(batch)

    def keep(self, sent):
        pass

# %% right: events
DevicePrefetcher = Prefetcher

# %% wrong: all at once · fails 3
def all_at_once(self):
    for sent, copied in [self.send(batch) for batch in self.loader]:
        yield self.ready(sent, copied)


DevicePrefetcher = changed(__iter__=all_at_once)

# %% wrong: blocking copies · fails 2, 5
DevicePrefetcher = changed(non_blocking=False)

# %% wrong: default stream only · fails 4
class DevicePrefetcher(Prefetcher):
    """Takes the stream that is current when it is made, not where the batch is used."""

    def __init__(self, loader):
        super().__init__(loader)
        self.main = torch.cuda.default_stream()

    def wait(self, copied):
        self.main.wait_event(copied)

# %% wrong: event before the copies · fails 4
def event_before_copies(self, batch):
    copied = self.stream.record_event()
    return Prefetcher.send(self, batch)[0], copied


DevicePrefetcher = changed(send=event_before_copies)

# %% wrong: event on the current stream · fails 4
def event_on_current_stream(self, batch):
    sent, _copied = Prefetcher.send(self, batch)
    return sent, torch.cuda.current_stream().record_event()


DevicePrefetcher = changed(send=event_on_current_stream)

# %% wrong: fails for an empty loader · fails 0
def fails_when_empty(self):
    batches = iter(self.loader)
    ahead = self.send(next(batches))
    for batch in batches:
        following = self.send(batch)
        yield self.ready(*ahead)
        ahead = following
    yield self.ready(*ahead)


DevicePrefetcher = changed(__iter__=fails_when_empty)

# %% wrong: forgets the last batch · fails 0, 1, 2, 3, 4, 5, 6
def forgets_last(self):
    ahead = None
    for batch in self.loader:
        following = self.send(batch)
        if ahead is not None:
            yield self.ready(*ahead)
        ahead = following


DevicePrefetcher = changed(__iter__=forgets_last)

# %% wrong: hands out inside the stream · fails 1, 4, 5, 6
def yields_inside(self):
    with torch.cuda.stream(self.stream):
        yield from Prefetcher.__iter__(self)


DevicePrefetcher = changed(__iter__=yields_inside)

# %% wrong: hands out nothing · fails 0, 1, 2, 3, 4, 5, 6
DevicePrefetcher = changed(__iter__=lambda self: iter(()))

# %% wrong: loses a field · fails 0
def first_field_only(self, sent, copied):
    return Prefetcher.ready(self, sent, copied)[:1]


DevicePrefetcher = changed(ready=first_field_only)

# %% wrong: mixes fields of two batches · fails 0, 1, 2, 3, 4, 5, 6
class DevicePrefetcher(Prefetcher):
    def ready(self, sent, copied):
        mixed = [sent[0], getattr(self, "before", sent)[1]]
        self.before = super().ready(sent, copied)
        return mixed

# %% wrong: no record stream · fails 6
DevicePrefetcher = changed(keep=lambda self, sent: None)

# %% wrong: no wait · fails 4
DevicePrefetcher = changed(wait=lambda self, copied: None)

# %% wrong: one iterator for all passes · fails 0
class DevicePrefetcher(Prefetcher):
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

# %% wrong: own stream but nothing ahead · fails 3
def own_stream_no_prefetch(self):
    for batch in self.loader:
        yield self.ready(*self.send(batch))


DevicePrefetcher = changed(__iter__=own_stream_no_prefetch)

# %% wrong: pins in the loop · fails 2
from loaderlab.lessons.pin_memory import fake_cuda


def pins_first(self, batch):
    return Prefetcher.send(
        self, [fake_cuda.Tensor.of(t, t.batch, t.field, "cpu", False).pin_memory() for t in batch]
    )


DevicePrefetcher = changed(send=pins_first)

# %% wrong: plain loop · fails 1, 3, 4, 5, 6
def plain_loop(self):
    for batch in self.loader:
        yield [tensor.to("cuda", non_blocking=True) for tensor in batch]


DevicePrefetcher = changed(__iter__=plain_loop)

# %% wrong: records one field only · fails 6
def only_first(self, sent):
    sent[0].record_stream(torch.cuda.current_stream())


DevicePrefetcher = changed(keep=only_first)

# %% wrong: records the copy stream · fails 6
def records_copy_stream(self, sent):
    for tensor in sent:
        tensor.record_stream(self.stream)


DevicePrefetcher = changed(keep=records_copy_stream)

# %% wrong: sends after handing out · fails 3
def sends_after_yield(self):
    ahead = None
    for batch in self.loader:
        if ahead is not None:
            yield self.ready(*ahead)
        ahead = self.send(batch)
    if ahead is not None:
        yield self.ready(*ahead)


DevicePrefetcher = changed(__iter__=sends_after_yield)

# %% wrong: stream asked once a loop · fails 4
class DevicePrefetcher(Prefetcher):
    def __iter__(self):
        self.current = torch.cuda.current_stream()
        return super().__iter__()

    def wait(self, copied):
        self.current.wait_event(copied)

# %% wrong: swaps the fields · fails 0
def swapped_fields(self, sent, copied):
    return Prefetcher.ready(self, sent, copied)[::-1]


DevicePrefetcher = changed(ready=swapped_fields)

# %% wrong: synchronises before each copy · fails 2
def copies_wait_for_all(self, batch):
    """Waits too late: the copy of the next batch must come after the step of this one."""
    torch.cuda.current_stream().synchronize()
    return Prefetcher.send(self, batch)


DevicePrefetcher = changed(send=copies_wait_for_all)

# %% wrong: synchronises the device · fails 2, 5
DevicePrefetcher = changed(wait=lambda self, copied: torch.cuda.synchronize())

# %% wrong: synchronises the host · fails 2
DevicePrefetcher = changed(wait=lambda self, copied: copied.synchronize())

# %% wrong: waits for the next copy too · fails 5
def wait_stream_late(self, _copied):
    torch.cuda.current_stream().wait_stream(self.stream)


DevicePrefetcher = changed(wait=wait_stream_late)

# %% wrong: waits the wrong way round · fails 4
def wrong_way(self, _copied):
    self.stream.wait_stream(torch.cuda.current_stream())


DevicePrefetcher = changed(wait=wrong_way)
