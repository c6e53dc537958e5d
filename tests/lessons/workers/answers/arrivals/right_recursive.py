from functools import cache


def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    @cache
    def asked(i):
        return got(i - 1) + step_ms if i else 0

    @cache
    def ordered(i):
        if not num_workers:
            return asked(i)
        before = i - num_workers * prefetch_factor
        return got(before) if before >= 0 else 0

    @cache
    def loaded(i):
        before = i - max(num_workers, 1)
        return load_ms[i] + max(ordered(i), loaded(before) if before >= 0 else 0)

    @cache
    def got(i):
        return max(asked(i), loaded(i))

    return [got(i) for i in range(len(load_ms))]
