# fails: 4


predict_memory = forking(none=True)
