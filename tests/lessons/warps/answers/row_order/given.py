# What some of the wrong answers to this exercise share.
def idle_of(lengths, order):
    warps = [order[k : k + 32] for k in range(0, len(order), 32)]
    return sum(32 * max(lengths[r] for r in w) - sum(lengths[r] for r in w) for w in warps)


def by_length(lengths):
    return sorted(range(len(lengths)), key=lambda row: -lengths[row])
