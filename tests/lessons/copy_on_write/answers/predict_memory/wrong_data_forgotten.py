# fails: 0, 1, 2, 3, 4, 5


predict_memory = predicting(data=False)
