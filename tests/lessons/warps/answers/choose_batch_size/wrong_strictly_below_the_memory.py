# fails: 2


choose_batch_size = choice(memory=lambda s, f, e, room: f + s * e < room)
