# fails: 2, 4


choose_batch_size = choice(memory=lambda s, f, e, room: s * e <= room)
