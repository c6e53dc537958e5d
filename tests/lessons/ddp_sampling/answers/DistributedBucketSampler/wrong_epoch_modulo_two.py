# fails: 4
DistributedBucketSampler = bucket(
    generator=lambda self: torch.Generator().manual_seed(1000 * self.seed + self.epoch % 2)
)
