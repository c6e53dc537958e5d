# fails: 0


predict_memory = forking(rounded=int)
