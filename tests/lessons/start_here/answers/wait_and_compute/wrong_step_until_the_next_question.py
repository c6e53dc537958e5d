# fails: 3


def wait_and_compute(events):
    ask, batch = times(events, "ask"), times(events, "batch")
    computed = [a - b for b, a in zip(batch, ask[1:], strict=False)]
    if len(ask) == len(batch):
        computed.append(events[-1][1] - batch[-1])
    return sum(waits(events)[1:]), sum(computed[1:])
