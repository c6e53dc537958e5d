def races(program):
    def direct(j):
        on, _, _, waits = program[j]
        return [i for i in range(j) if program[i][0] == "cpu" or program[i][0] == on or program[i][0] in waits]

    def has_ended(i, j):
        return any(k == i or (k > i and has_ended(i, k)) for k in direct(j))

    for_sure = lambda i, j: has_ended(i, j)  # noqa: E731
    result = []
    for i, (_, reads, writes, _) in enumerate(program):
        for j in range(i + 1, len(program)):
            _, r, w, _ = program[j]
            touched = any(t in r or t in w for t in writes) or any(t in w for t in reads)
            if touched and not for_sure(i, j):
                result.append([i, j])
    return result
