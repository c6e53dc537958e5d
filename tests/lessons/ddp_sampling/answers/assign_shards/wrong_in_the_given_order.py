# fails: 1


assign_shards = shards(lambda sizes: range(len(sizes)))
