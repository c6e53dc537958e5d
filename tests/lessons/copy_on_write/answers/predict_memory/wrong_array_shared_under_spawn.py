# fails: 3


predict_memory = predicting(copied=("list", "memmap"))
