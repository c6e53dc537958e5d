# fails: 3


assign_shards = shards(largest_first, check=False)
