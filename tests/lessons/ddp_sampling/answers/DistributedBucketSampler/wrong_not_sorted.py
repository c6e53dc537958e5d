# fails: 2


DistributedBucketSampler = bucket(pool=1)
