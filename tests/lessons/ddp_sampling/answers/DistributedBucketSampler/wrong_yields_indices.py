# fails: 0, 1, 2, 3, 4, 5


DistributedBucketSampler = bucket(part=lambda self, step: step[0])
