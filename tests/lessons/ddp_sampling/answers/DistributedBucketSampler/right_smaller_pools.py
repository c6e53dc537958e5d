DistributedBucketSampler = bucket(pool=8)
