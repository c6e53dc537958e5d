# fails: 3


choose_batch_size = choice(order=list)
