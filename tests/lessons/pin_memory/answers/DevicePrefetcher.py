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
        for batch in self.batches():
            following = self.send(batch)
            if ahead is not None:
                yield self.ready(*ahead)
            ahead = following
        if ahead is not None:
            yield self.ready(*ahead)

    def batches(self):
        return iter(self.loader)

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
class DevicePrefetcher(Prefetcher):
    def __iter__(self):
        for sent, copied in [self.send(batch) for batch in self.loader]:
            yield self.ready(sent, copied)

# %% wrong: blocking copies · fails 2, 5
DevicePrefetcher = changed(non_blocking=False)

# %% wrong: event before the copies · fails 4
class DevicePrefetcher(Prefetcher):
    def send(self, batch):
        copied = self.stream.record_event()
        return super().send(batch)[0], copied

# %% wrong: event on the current stream · fails 4
class DevicePrefetcher(Prefetcher):
    def send(self, batch):
        sent, _copied = super().send(batch)
        return sent, torch.cuda.current_stream().record_event()

# %% wrong: fails for an empty loader · fails 0
class DevicePrefetcher(Prefetcher):
    def __iter__(self):
        batches = iter(self.loader)
        ahead = self.send(next(batches))
        for batch in batches:
            following = self.send(batch)
            yield self.ready(*ahead)
            ahead = following
        yield self.ready(*ahead)

# %% wrong: forgets the last batch · fails 0, 1, 2, 3, 4, 5, 6
class DevicePrefetcher(Prefetcher):
    def __iter__(self):
        ahead = None
        for batch in self.loader:
            following = self.send(batch)
            if ahead is not None:
                yield self.ready(*ahead)
            ahead = following

# %% wrong: hands out inside the stream · fails 1, 4, 5, 6
class DevicePrefetcher(Prefetcher):
    def __iter__(self):
        with torch.cuda.stream(self.stream):
            yield from super().__iter__()

# %% wrong: hands out nothing · fails 0, 1, 2, 3, 4, 5, 6
DevicePrefetcher = changed(__iter__=lambda self: iter(()))

# %% wrong: loses a field · fails 0
class DevicePrefetcher(Prefetcher):
    def ready(self, sent, copied):
        return super().ready(sent, copied)[:1]

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
    def __init__(self, loader):
        super().__init__(loader)
        self.only = iter(loader)

    def batches(self):
        return self.only

# %% wrong: own stream but nothing ahead · fails 3
class DevicePrefetcher(Prefetcher):
    def __iter__(self):
        for batch in self.loader:
            yield self.ready(*self.send(batch))

# %% wrong: pins in the loop · fails 2
from loaderlab.lessons.pin_memory import fake_cuda


class DevicePrefetcher(Prefetcher):
    def send(self, batch):
        pageable = [fake_cuda.Tensor.of(t, t.batch, t.field, "cpu", False) for t in batch]
        return super().send([tensor.pin_memory() for tensor in pageable])

# %% wrong: plain loop · fails 1, 3, 4, 5, 6
class DevicePrefetcher(Prefetcher):
    def __iter__(self):
        for batch in self.loader:
            yield [tensor.to("cuda", non_blocking=True) for tensor in batch]

# %% wrong: records one field only · fails 6
class DevicePrefetcher(Prefetcher):
    def keep(self, sent):
        super().keep(sent[:1])

# %% wrong: records the copy stream · fails 6
class DevicePrefetcher(Prefetcher):
    def keep(self, sent):
        for tensor in sent:
            tensor.record_stream(self.stream)

# %% wrong: sends after handing out · fails 3
class DevicePrefetcher(Prefetcher):
    def __iter__(self):
        ahead = None
        for batch in self.loader:
            if ahead is not None:
                yield self.ready(*ahead)
            ahead = self.send(batch)
        if ahead is not None:
            yield self.ready(*ahead)

# %% wrong: stream asked once a loop · fails 4
class DevicePrefetcher(Prefetcher):
    def __iter__(self):
        self.current = torch.cuda.current_stream()
        return super().__iter__()

    def wait(self, copied):
        self.current.wait_event(copied)

# %% wrong: swaps the fields · fails 0
class DevicePrefetcher(Prefetcher):
    def ready(self, sent, copied):
        return super().ready(sent, copied)[::-1]

# %% wrong: synchronises before each copy · fails 2
class DevicePrefetcher(Prefetcher):
    """Waits too late: the copy of the next batch must come after the step of this one."""

    def send(self, batch):
        torch.cuda.current_stream().synchronize()
        return super().send(batch)

# %% wrong: synchronises the device · fails 2, 5
DevicePrefetcher = changed(wait=lambda self, copied: torch.cuda.synchronize())

# %% wrong: synchronises the host · fails 2
DevicePrefetcher = changed(wait=lambda self, copied: copied.synchronize())

# %% wrong: waits for the next copy too · fails 5
class DevicePrefetcher(Prefetcher):
    def wait(self, copied):
        torch.cuda.current_stream().wait_stream(self.stream)

# %% wrong: waits the wrong way round · fails 4
class DevicePrefetcher(Prefetcher):
    def wait(self, copied):
        self.stream.wait_stream(torch.cuda.current_stream())
