# fails: 0


def fails_when_empty(self):
    batches = iter(self.loader)
    ahead = self.send(next(batches))
    for batch in batches:
        following = self.send(batch)
        yield self.ready(*ahead)
        ahead = following
    yield self.ready(*ahead)


DevicePrefetcher = changed(__iter__=fails_when_empty)
