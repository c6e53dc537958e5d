# fails: 2, 3


write_shards = writing(key=lambda i, shard, j, sample: f"{shard}.{j}")
