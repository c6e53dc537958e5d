from itertools import islice
from math import fsum
from operator import itemgetter


def headroom(now, cached):
    def total(log, column):
        return fsum(map(itemgetter(column), islice(log, 1, None)))

    seconds = [(total(log, 1) + total(log, 2)) / 1000 for log in (now, cached)]
    per_second = [total(log, 0) / time for log, time in zip((now, cached), seconds)]
    gain = per_second[1] / per_second[0]
    w = total(now, 1) / 1000 / seconds[0]
    ratio = gain * (1 - w)
    if max(ratio, 1 / ratio) > 1.1:
        return
    return gain
