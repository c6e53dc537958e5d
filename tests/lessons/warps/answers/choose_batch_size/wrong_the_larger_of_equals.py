# fails: 3


choose_batch_size = choice(order=lambda s: sorted(s, reverse=True))
