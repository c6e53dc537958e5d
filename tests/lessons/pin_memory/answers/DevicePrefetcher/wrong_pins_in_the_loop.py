# fails: 2
from loaderlab.lessons.pin_memory import fake_cuda


def pins_first(self, batch):
    return Prefetcher.send(
        self, [fake_cuda.Tensor.of(t, t.batch, t.field, "cpu", False).pin_memory() for t in batch]
    )


DevicePrefetcher = changed(send=pins_first)
