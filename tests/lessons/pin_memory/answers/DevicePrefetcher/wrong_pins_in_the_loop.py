# fails: 2
from loaderlab.lessons.pin_memory import witness


def pins_first(self, batch):
    return Prefetcher.send(
        self, [witness.Tensor.of(t, t.batch, t.field, "cpu", False).pin_memory() for t in batch]
    )


DevicePrefetcher = changed(send=pins_first)
