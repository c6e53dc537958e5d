# fails: 1


choose_batch_size = choice(latency=lambda ms, budget: ms < budget)
