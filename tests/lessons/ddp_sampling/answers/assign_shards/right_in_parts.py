assign_shards = shards(largest_first)
