# fails: 0, 1, 2, 3


choose_batch_size = choice(key=lambda size, ms: -ms)
