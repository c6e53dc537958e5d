# fails: 1


headroom = solved(rest=lambda log: log)
