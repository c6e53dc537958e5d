from fractions import Fraction


def headroom(load, step, num_workers):
    load, step = Fraction(load), Fraction(step)
    return (load + step if not num_workers else max(load / num_workers, step)) / step
