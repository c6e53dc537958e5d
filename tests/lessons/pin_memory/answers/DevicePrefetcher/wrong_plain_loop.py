# fails: 1, 3, 4, 5, 6


def plain_loop(self):
    for batch in self.loader:
        yield [tensor.to("cuda", non_blocking=True) for tensor in batch]


DevicePrefetcher = changed(__iter__=plain_loop)
