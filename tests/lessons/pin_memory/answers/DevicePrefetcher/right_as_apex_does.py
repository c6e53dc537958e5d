import torch


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
