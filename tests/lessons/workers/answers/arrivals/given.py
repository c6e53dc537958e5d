# What some of the answers to this exercise share: the right one, of which parts can be exchanged.
def simulated(load_ms, step_ms, workers, factor, *, ahead=None, worker=None, late=0):
    got, free = [], [0] * workers
    count = ahead(workers, factor) if ahead and workers else workers * (factor or 0)
    for i, load in enumerate(load_ms):
        asked = got[-1] + step_ms if got else 0
        if not workers:
            got.append(asked + load)
            continue
        w = worker(i, free) if worker else i % workers
        order = got[i - count] + late if i >= count else 0
        free[w] = max(free[w], order) + load
        got.append(max(asked, free[w]))
    return got
