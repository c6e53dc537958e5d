# fails: 0


def first_field_only(self, sent, copied):
    return Prefetcher.ready(self, sent, copied)[:1]


DevicePrefetcher = changed(ready=first_field_only)
