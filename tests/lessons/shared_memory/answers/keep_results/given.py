# What the answers to this exercise share.


def cloned(loader, count):
    return [{name: value[:count].clone() for name, value in batch.items()} for batch in loader]


def each(function):
    return lambda loader, count: [{n: function(v[:count]) for n, v in batch.items()} for batch in loader]
