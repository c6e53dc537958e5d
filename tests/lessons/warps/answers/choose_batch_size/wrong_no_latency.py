# fails: 1, 4


choose_batch_size = choice(latency=lambda ms, budget: True)
