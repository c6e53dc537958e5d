def row_order(lengths):
    """Plays the kernel."""
    rows = list(enumerate(lengths))
    rows.sort(key=lambda pair: pair[1])
    rows.reverse()
    idle = 0
    for first in range(0, len(rows), 32):
        left = [length for _, length in rows[first : first + 32]]
        while any(left):
            idle += 32 - sum(1 for n in left if n > 0)
            left = [max(0, n - 1) for n in left]
    return [row for row, _ in rows], idle
