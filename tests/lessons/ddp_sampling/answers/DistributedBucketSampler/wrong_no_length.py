# fails: 0, 1, 2, 3, 4, 5, 6


DistributedBucketSampler = bucket(__len__=None)
