# fails: 2


tree_memory = summing(uss=("Private_Clean", "Private_Dirty", "Private_Hugetlb", "Shared_Hugetlb"))
