# fails: 3, 4, 5, 6


DistributedBucketSampler = bucket(
    pool=10**6,
    shuffled=lambda self, g: list(range(len(self.lengths))),
    order=lambda self, steps, g: steps,
)
