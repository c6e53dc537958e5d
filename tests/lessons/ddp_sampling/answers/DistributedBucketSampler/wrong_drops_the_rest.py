# fails: 0, 1


DistributedBucketSampler = bucket(
    __len__=lambda self: len(self.lengths) // (self.batch_size * self.ranks),
    fill=lambda self, i: i[: len(self) * self.batch_size * self.ranks],
)
