# fails: 1, 2, 5


DistributedBucketSampler = bucket(generator=lambda self: None)
