# fails: 0, 1, 2, 3, 4, 5, 6


def forgets_last(self):
    ahead = None
    for batch in self.loader:
        following = self.send(batch)
        if ahead is not None:
            yield self.ready(*ahead)
        ahead = following


DevicePrefetcher = changed(__iter__=forgets_last)
