# fails: 2, 5


predict_memory = forking(containers=("list", "array"))
