# fails: 0


def swapped_fields(self, sent, copied):
    return Prefetcher.ready(self, sent, copied)[::-1]


DevicePrefetcher = changed(ready=swapped_fields)
