# fails: 1, 2, 6


DistributedBucketSampler = bucket(generator=lambda self: None)
