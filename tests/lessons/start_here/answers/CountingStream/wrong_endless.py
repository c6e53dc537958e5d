# fails: 0, 1, 2, 3


def endless(self):
    while True:
        yield 0


CountingStream = stream(endless)
