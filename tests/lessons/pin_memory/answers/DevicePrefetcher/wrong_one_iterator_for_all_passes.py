# fails: 0


class DevicePrefetcher(Prefetcher):
    """One iterator for all passes."""

    def __init__(self, loader):
        super().__init__(loader)
        self.batches = iter(loader)

    def __iter__(self):
        ahead = None
        for batch in self.batches:
            following = self.send(batch)
            if ahead is not None:
                yield self.ready(*ahead)
            ahead = following
        if ahead is not None:
            yield self.ready(*ahead)
