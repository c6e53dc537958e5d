# fails: 0, 1, 2, 3, 4, 5, 6


DistributedBucketSampler = bucket(part=lambda self, step: step[0])
