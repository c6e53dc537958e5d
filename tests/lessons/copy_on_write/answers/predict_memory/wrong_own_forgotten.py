# fails: 5


predict_memory = predicting(own=False)
