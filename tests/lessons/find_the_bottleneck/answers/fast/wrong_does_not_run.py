# fails: 0, 1
raise ValueError("no")
