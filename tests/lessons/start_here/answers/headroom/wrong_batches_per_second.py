# fails: 0


headroom = solved(rate=lambda log: len(log) / sum(row[1] + row[2] for row in log))
