# fails: 0


DistributedBucketSampler = bucket(
    __len__=lambda self: len(self.lengths) // self.ranks,
    fill=lambda self, i: (i * 9)[: Bucket.__len__(self) * self.batch_size * self.ranks],
)
