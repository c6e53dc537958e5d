# fails: 0, 1


headroom = solved(rate=lambda log: 1 / sum(row[1] + row[2] for row in log))
