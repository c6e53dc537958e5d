# fails: 0, 1, 2, 3, 4, 5, 6
class DevicePrefetcher(Prefetcher):
    def ready(self, sent, copied):
        mixed = [sent[0], getattr(self, "before", sent)[1]]
        self.before = super().ready(sent, copied)
        return mixed
