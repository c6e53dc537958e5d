DistributedBucketSampler = Bucket
