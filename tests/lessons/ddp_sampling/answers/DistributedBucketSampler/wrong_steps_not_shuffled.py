# fails: 3


DistributedBucketSampler = bucket(pool=10**6, order=lambda self, steps, g: steps)
