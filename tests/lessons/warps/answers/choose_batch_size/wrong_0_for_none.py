# fails: 4


choose_batch_size = choice(empty=0)
