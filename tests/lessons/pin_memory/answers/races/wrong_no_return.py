# fails: 0, 1, 2, 3


def races(program):
    for on, reads, writes, waits in program:
        pass
