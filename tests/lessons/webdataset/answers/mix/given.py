# What the answers to this exercise share.
from loaderlab.lessons.webdataset import data


def mixing(sizes=sorted, enough=None, partial=False, initial=None, value=None, nothing=None):
    def answer(labels, batch, target, given):
        for size in sizes(given):
            order = list(data.shuffled(labels, size, initial))
            stop = len(order) if partial else len(order) - batch + 1
            counts = [len(set(order[i : i + batch])) for i in range(0, stop, batch)]
            measured = value(counts) if value else sum(counts) / len(counts)
            if (enough or (lambda a, b: a >= b))(measured, target):
                return size
        return nothing

    return answer
