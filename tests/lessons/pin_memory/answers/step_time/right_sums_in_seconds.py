GB = 1e9


def step_time(nbytes, step_ms, host, link, pinned, overlap):
    by_cpu = 1000 * nbytes / (host * GB)
    by_link = 1000 * nbytes / (link * GB)
    match pinned, overlap:
        case False, _:
            return sum([by_cpu, by_link, step_ms])
        case True, True:
            return max([by_cpu, by_link, step_ms])
        case _:
            return max([by_cpu, by_link + step_ms])
