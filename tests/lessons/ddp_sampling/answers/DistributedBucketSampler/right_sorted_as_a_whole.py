DistributedBucketSampler = bucket(pool=10**6)
