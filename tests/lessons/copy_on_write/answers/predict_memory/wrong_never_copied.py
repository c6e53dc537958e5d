# fails: 0, 1


predict_memory = predicting(fork=lambda *a: 0)
