# fails: 1


assign_shards = shards(None, assign=lambda s, r: [list(range(k, len(s), r)) for k in range(r)])
