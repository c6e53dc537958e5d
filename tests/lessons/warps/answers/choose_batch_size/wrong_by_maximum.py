# fails: 1, 3


choose_batch_size = choice(middle=max)
