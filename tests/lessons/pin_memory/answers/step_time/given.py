# What the answers to this exercise share.


def right(nbytes, step_ms, host, link, pinned, overlap):
    copy_ms, link_ms = nbytes / host / 1e6, nbytes / link / 1e6
    if not pinned:
        return copy_ms + link_ms + step_ms
    return max(copy_ms, link_ms, step_ms) if overlap else max(copy_ms, link_ms + step_ms)


def times(n, host, link):
    return n / host / 1e6, n / link / 1e6


def unless(change):
    """The right answer, except where ``change`` gives another one."""

    def answer(n, step, host, link, pinned, overlap):
        copy, wire = times(n, host, link)
        other = change(copy, wire, step, pinned, overlap)
        return right(n, step, host, link, pinned, overlap) if other is None else other

    return answer
