# fails: 2


def races(program):
    ended = []
    for j, (on, reads, writes, waits) in enumerate(program):
        before = set()
        for i in range(j):
            if program[i][0] in ("cpu", on, *waits):
                before |= {i} | ended[i]
        ended.append(before)
    return [
        (i, j)
        for j in range(len(program))
        for i in range(j)
        if i not in ended[j] and (program[i][2][:1] and program[i][2][0] in program[j][1][:1] + program[j][2][:1] or program[i][1][:1] and program[i][1][0] in program[j][2][:1])
    ]
