def races(program):
    ended = {}
    for j, (on, reads, writes, waits) in enumerate(program):
        ended[j] = set()
        for i in reversed(range(j)):
            if i not in ended[j] and (program[i][0] in ("cpu", on) or program[i][0] in waits):
                ended[j] |= {i, *ended[i]}
        for i in range(j):
            other_reads, other_writes = program[i][1:3]
            if i in ended[j]:
                continue
            if {*other_writes}.intersection(reads + writes) or {*other_reads}.intersection(writes):
                yield i, j
