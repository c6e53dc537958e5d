# What the answers to this exercise share.
import torch


class Batch:
    """What the exercise gives; the answers differ in how they pin."""

    def __init__(self, fields):
        self.fields = fields


def batch(pin_memory):
    return type("PinnableBatch", (Batch,), {"pin_memory": pin_memory})


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
