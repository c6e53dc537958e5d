# fails: 1


predict_memory = forking(no_large=True)
