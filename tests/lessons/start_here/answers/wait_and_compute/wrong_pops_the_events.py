# fails: 0
def wait_and_compute(events):
    w, s = waits(events), steps(events)
    while events:
        events.pop()
    return sum(w[1:]), sum(s[1:])
