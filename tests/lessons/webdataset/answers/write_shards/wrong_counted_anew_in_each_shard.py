# fails: 2, 3


write_shards = writing(key=lambda i, shard, j, sample: f"{j:09d}")
