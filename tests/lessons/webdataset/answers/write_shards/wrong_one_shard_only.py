# fails: 0, 1


write_shards = writing(bounds=lambda n, shards: [0, n])
