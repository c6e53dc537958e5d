import numpy as np


def races(program):
    n = len(program)
    order = np.zeros((n, n), dtype=bool)
    clash = np.zeros((n, n), dtype=bool)
    for j in range(n):
        for i in range(j):
            order[i, j] = program[i][0] in {"cpu", program[j][0]} | set(program[j][3])
            both = (set(program[i][1]) | set(program[i][2])) & (set(program[j][1]) | set(program[j][2]))
            clash[i, j] = bool(both & (set(program[i][2]) | set(program[j][2])))
    for k in range(n):  # Warshall
        order |= np.outer(order[:, k], order[k])
    return np.argwhere(clash & ~order)
