# %% right: free ones and read ones apart
from collections import deque


class SlotPool:
    def __init__(self, slots):
        self.free = list(range(slots))
        self.reading = deque()

    def take(self):
        still = deque()
        for slot, events in self.reading:
            if all(event.query() for event in events):
                self.free.append(slot)
            else:
                still.append((slot, events))
        self.reading = still
        if not self.free:
            if not self.reading:
                raise RuntimeError("nothing to wait for")
            slot, events = self.reading.popleft()
            for event in events:
                event.synchronize()
            return slot
        return self.free.pop()

    def give_back(self, slot, events):
        self.reading.append((slot, events))

# %% right: a dictionary in the order of giving back
class SlotPool:
    def __init__(self, slots):
        self.returned = dict.fromkeys(range(slots), ())

    def take(self):
        if len(self.returned) == 0:
            raise RuntimeError
        passed = (slot for slot, events in self.returned.items() if all(event.query() for event in events))
        slot = next(passed, None)
        if slot is None:
            slot = next(iter(self.returned))
            [event.synchronize() for event in self.returned[slot]]
        del self.returned[slot]
        return slot

    def give_back(self, slot, events):
        self.returned[slot] = tuple(events)

# %% right: the slot that is chosen is waited for in any case
class SlotPool:
    def __init__(self, slots):
        self.returned = [(slot, []) for slot in range(slots)]

    def is_read(self, entry):
        return not any(not event.query() for event in entry[1])

    def take(self):
        try:
            chosen = next(filter(self.is_read, self.returned), None) or self.returned[0]
        except IndexError:
            raise RuntimeError("all slots are taken") from None
        self.returned.remove(chosen)
        for event in chosen[1]:
            event.synchronize()  # at once, where it has passed
        return chosen[0]

    def give_back(self, slot, events):
        self.returned.append((slot, list(events)))

# %% right: sorted by what has passed
class SlotPool:
    def __init__(self, slots):
        self.slots = slots
        self.returned = [(slot, []) for slot in range(slots)]

    def take(self):
        if not self.returned:
            raise RuntimeError(f"all {self.slots} slots are taken")
        waiting = [not all(event.query() for event in events) for _slot, events in self.returned]
        slot, events = self.returned.pop(waiting.index(min(waiting)))
        for event in events:
            event.synchronize()
        return slot

    def give_back(self, slot, events):
        self.returned.append((slot, events))

# %% wrong: the events are forgotten · fails 0, 2, 3
class SlotPool:
    def __init__(self, slots):
        self.returned = [(slot, []) for slot in range(slots)]

    def take(self):
        if not self.returned:
            raise RuntimeError("all slots are taken")
        return self.returned.pop(0)[0]

    def give_back(self, slot, events):
        self.returned.append((slot, events))

# %% wrong: the first event only · fails 0, 2
class SlotPool:
    def __init__(self, slots):
        self.returned = [(slot, []) for slot in range(slots)]

    def take(self):
        if not self.returned:
            raise RuntimeError("all slots are taken")
        for place, (_slot, events) in enumerate(self.returned):
            if not events or events[0].query():
                return self.returned.pop(place)[0]
        slot, events = self.returned.pop(0)
        events[0].synchronize()
        return slot

    def give_back(self, slot, events):
        self.returned.append((slot, events))

# %% wrong: any of the events · fails 0, 2
class SlotPool:
    def __init__(self, slots):
        self.returned = [(slot, []) for slot in range(slots)]

    def take(self):
        if not self.returned:
            raise RuntimeError("all slots are taken")
        for place, (_slot, events) in enumerate(self.returned):
            if not events or any(event.query() for event in events):
                return self.returned.pop(place)[0]
        slot, events = self.returned.pop(0)
        for event in events:
            event.synchronize()
        return slot

    def give_back(self, slot, events):
        self.returned.append((slot, events))

# %% wrong: in turns · fails 2
class SlotPool:
    def __init__(self, slots):
        self.returned = [(slot, []) for slot in range(slots)]

    def take(self):
        if not self.returned:
            raise RuntimeError("all slots are taken")
        slot, events = self.returned.pop(0)
        for event in events:
            event.synchronize()
        return slot

    def give_back(self, slot, events):
        self.returned.append((slot, events))

# %% wrong: as the ring does · fails 2, 4
class SlotPool:
    def __init__(self, slots):
        self.slots, self.number = slots, 0
        self.events = [[] for _slot in range(slots)]

    def take(self):
        slot = self.number % self.slots
        self.number += 1
        for event in self.events[slot]:
            event.synchronize()
        return slot

    def give_back(self, slot, events):
        self.events[slot] = events

# %% wrong: waits for the whole device · fails 2, 3
class SlotPool:
    def __init__(self, slots):
        self.returned = list(range(slots))
        self.fresh = slots

    def take(self):
        if not self.returned:
            raise RuntimeError("all slots are taken")
        if self.fresh:
            self.fresh -= 1
        else:
            torch.cuda.synchronize()
        return self.returned.pop(0)

    def give_back(self, slot, events):
        self.returned.append(slot)

# %% wrong: waits for all that are being read · fails 3
class SlotPool:
    def __init__(self, slots):
        self.returned = [(slot, []) for slot in range(slots)]

    def take(self):
        if not self.returned:
            raise RuntimeError("all slots are taken")
        for place, (_slot, events) in enumerate(self.returned):
            if all(event.query() for event in events):
                return self.returned.pop(place)[0]
        for _slot, events in self.returned:
            for event in events:
                event.synchronize()
        return self.returned.pop(0)[0]

    def give_back(self, slot, events):
        self.returned.append((slot, events))

# %% wrong: the one given back last · fails 2, 3
class SlotPool:
    def __init__(self, slots):
        self.returned = [(slot, []) for slot in range(slots)]

    def take(self):
        if not self.returned:
            raise RuntimeError("all slots are taken")
        fresh = [entry for entry in self.returned if not entry[1]]
        entry = fresh[0] if fresh else self.returned[-1]
        self.returned.remove(entry)
        for event in entry[1]:
            event.synchronize()
        return entry[0]

    def give_back(self, slot, events):
        self.returned.append((slot, events))

# %% wrong: two slots only · fails 1, 3
class SlotPool:
    def __init__(self, slots):
        self.returned = [(slot, []) for slot in range(min(slots, 2) if slots > 3 else slots)]

    def take(self):
        if not self.returned:
            raise RuntimeError("all slots are taken")
        for place, (_slot, events) in enumerate(self.returned):
            if all(event.query() for event in events):
                return self.returned.pop(place)[0]
        for event in self.returned[0][1]:
            event.synchronize()
        return self.returned.pop(0)[0]

    def give_back(self, slot, events):
        self.returned.append((slot, events))

# %% wrong: an IndexError where all are taken · fails 4
class SlotPool:
    def __init__(self, slots):
        self.returned = [(slot, []) for slot in range(slots)]

    def take(self):
        for place, (_slot, events) in enumerate(self.returned):
            if all(event.query() for event in events):
                return self.returned.pop(place)[0]
        for event in self.returned[0][1]:
            event.synchronize()
        return self.returned.pop(0)[0]

    def give_back(self, slot, events):
        self.returned.append((slot, events))

# %% wrong: nothing is given back · fails 0, 1, 2, 3, 4
class SlotPool:
    def __init__(self, slots):
        self.returned = [(slot, []) for slot in range(slots)]

    def take(self):
        if not self.returned:
            raise RuntimeError("all slots are taken")
        return self.returned.pop(0)[0]

    def give_back(self, slot, events):
        pass

# %% wrong: the entry instead of its slot · fails 0, 1, 2, 3, 4
class SlotPool:
    def __init__(self, slots):
        self.returned = [(slot, []) for slot in range(slots)]

    def take(self):
        if not self.returned:
            raise RuntimeError("all slots are taken")
        return self.returned.pop(0)

    def give_back(self, slot, events):
        self.returned.append((slot, events))
