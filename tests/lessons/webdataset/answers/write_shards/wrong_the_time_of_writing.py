# fails: 4


write_shards = writing(mtime=None)
