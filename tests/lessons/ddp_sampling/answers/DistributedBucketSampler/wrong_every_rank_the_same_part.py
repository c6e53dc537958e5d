# fails: 1


DistributedBucketSampler = bucket(part=lambda self, step: step[: self.batch_size])
