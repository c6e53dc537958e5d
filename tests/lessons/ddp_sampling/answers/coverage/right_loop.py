def coverage(length, ranks, batch_size, sampler_drops, loader_drops):
    dealt = length
    while dealt % ranks:
        dealt += -1 if sampler_drops else 1
    while loader_drops and dealt % (ranks * batch_size):
        dealt -= 1
    duplicates = losses = 0
    if dealt > length:
        duplicates = dealt - length
    else:
        losses = length - dealt
    return duplicates, losses
