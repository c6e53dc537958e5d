# fails: 2, 3


def races(program):
    ended = []
    for j, (on, reads, writes, waits) in enumerate(program):
        before = set()
        for i in range(j):
            if program[i][0] in ("cpu", on, *waits):
                before |= {i} | ended[i]
        ended.append(before)
    return [*(
        (i, j)
        for j in range(len(program))
        for i in range(j)
        if i not in ended[j] and (set(program[i][2]) & {*program[j][1], *program[j][2]} or set(program[i][1]) & set(program[j][2]))
    )][:1]
