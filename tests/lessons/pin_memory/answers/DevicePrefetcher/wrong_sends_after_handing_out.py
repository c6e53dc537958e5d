# fails: 3


def sends_after_yield(self):
    ahead = None
    for batch in self.loader:
        if ahead is not None:
            yield self.ready(*ahead)
        ahead = self.send(batch)
    if ahead is not None:
        yield self.ready(*ahead)


DevicePrefetcher = changed(__iter__=sends_after_yield)
