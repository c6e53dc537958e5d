# What the answers to this exercise share.


def predicting(copied=("list", "array", "memmap"), fork=None, own=True, data=True, once=True):
    def answer(items, item_bytes, container, workers, start_method="fork", shuffled=True, own_bytes=0):
        whole = items * item_bytes
        if start_method == "spawn":
            copies = workers * whole if container in copied else 0
        else:
            copies = (fork or right_fork)(whole, items, item_bytes, container, workers, shuffled)
        return (whole if data else 0) + copies + (workers * own_bytes if own else 0)

    return answer


def right_fork(whole, items, item_bytes, container, workers, shuffled):
    if container != "list" or not workers:
        return 0
    if item_bytes >= 4096:
        return 4096 * items
    return workers * whole * share(workers, 4096 / item_bytes) if shuffled else whole


def share(workers, on_a_page):
    return 1 - (1 - 1 / workers) ** on_a_page


def forking(**changes):
    """A change of the rules under fork: `large`, `small`, `containers`, `none`."""

    def answer(whole, items, item_bytes, container, workers, shuffled):
        if container not in changes.get("containers", ("list",)):
            return 0
        if not workers and not changes.get("none"):
            return 0
        if item_bytes >= changes.get("limit", 4096) and not changes.get("no_large"):
            return changes.get("large", lambda items, w: 4096 * items)(items, workers)
        copied = share(workers, changes.get("rounded", float)(4096 / item_bytes)) if workers else 0
        small = changes.get("small", lambda whole, w, s: whole * (w if s else 1))
        return small(whole, workers, shuffled) * (copied if shuffled and not changes.get("all") else 1)

    return predicting(fork=answer)
