# fails: 1


predict_memory = forking(large=lambda items, w: 4096 * items * w)
