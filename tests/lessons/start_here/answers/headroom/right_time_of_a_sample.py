def headroom(now, cached):
    def ms(log):
        return sum(w + s for _, w, s in log[1:]) / sum(n for n, _, _ in log[1:])

    gain = ms(now) / ms(cached)
    step_share = sum(s for _, _, s in now[1:]) / sum(w + s for _, w, s in now[1:])
    return gain if 1 / 1.1 <= gain * step_share <= 1.1 else None
