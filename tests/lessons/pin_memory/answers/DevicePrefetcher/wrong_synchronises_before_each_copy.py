# fails: 2
import torch


def copies_wait_for_all(self, batch):
    """Waits too late: the copy of the next batch must come after the step of this one."""
    torch.cuda.current_stream().synchronize()
    return Prefetcher.send(self, batch)


DevicePrefetcher = changed(send=copies_wait_for_all)
