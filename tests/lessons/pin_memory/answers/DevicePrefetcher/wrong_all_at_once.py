# fails: 3


def all_at_once(self):
    for sent, copied in [self.send(batch) for batch in self.loader]:
        yield self.ready(sent, copied)


DevicePrefetcher = changed(__iter__=all_at_once)
