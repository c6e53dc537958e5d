# fails: 4


def event_before_copies(self, batch):
    copied = self.stream.record_event()
    return Prefetcher.send(self, batch)[0], copied


DevicePrefetcher = changed(send=event_before_copies)
