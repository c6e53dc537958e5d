# fails: 0


headroom = solved(rate=lambda log: sum(n / (w + s) for n, w, s in log) / len(log))
