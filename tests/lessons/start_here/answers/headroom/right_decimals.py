from decimal import Decimal


def headroom(load, step, num_workers):
    load, step = Decimal(load), Decimal(step)
    batch = load + step if num_workers == 0 else max(load / num_workers, step)
    return batch / step
