# fails: 0


predict_memory = forking(small=lambda d, w, s: d)
