# fails: 0


predict_memory = forking(all=True)
