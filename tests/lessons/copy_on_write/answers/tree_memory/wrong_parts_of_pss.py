# fails: 0, 1, 3


tree_memory = summing(starts=True)
