# fails: 0, 1, 2, 3


tree_memory = summing(kib=1)
