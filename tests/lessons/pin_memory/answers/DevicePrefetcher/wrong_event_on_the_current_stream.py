# fails: 4
import torch


def event_on_current_stream(self, batch):
    sent, _copied = Prefetcher.send(self, batch)
    return sent, torch.cuda.current_stream().record_event()


DevicePrefetcher = changed(send=event_on_current_stream)
