# fails: 0, 1, 2, 3


tree_memory = summing(uss=("Private_Dirty",))
