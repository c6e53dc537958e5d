# fails: 0


write_shards = writing(name="shard-{:06d}.tar")
