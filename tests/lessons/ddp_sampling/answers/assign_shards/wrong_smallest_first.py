# fails: 1


assign_shards = shards(lambda sizes: largest_first(sizes)[::-1])
