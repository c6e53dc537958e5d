# fails: 2, 4


choose_batch_size = choice(memory=lambda *a: True)
