# fails: 2, 3


write_shards = writing(key=lambda i, shard, j, sample: sample[0].replace(".", "_"))
