# fails: 1


DistributedBucketSampler = bucket(
    fill=lambda self, i: i + i[:1] * (len(self) * self.batch_size * self.ranks - len(i))
)
