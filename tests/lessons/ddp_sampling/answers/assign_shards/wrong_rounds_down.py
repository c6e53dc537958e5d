# fails: 2


assign_shards = shards(largest_first, lambda loads, size: max(loads) // size)
