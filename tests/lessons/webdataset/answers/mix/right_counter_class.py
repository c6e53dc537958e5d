class Buffer:
    def __init__(self, labels, size):
        self.order = torch.tensor(list(data.shuffled(labels, size))) if "torch" in globals() else list(data.shuffled(labels, size))

    def average(self, batch_size):
        total = number = 0
        for start in range(0, len(self.order), batch_size):
            batch = [int(label) for label in self.order[start : start + batch_size]]
            if len(batch) == batch_size:
                total, number = total + len(set(batch)), number + 1
        return total / number


def mix(labels, batch_size, target, sizes):
    found = None
    for size in sizes:
        if (found is None or size < found) and Buffer(labels, size).average(batch_size) >= target:
            found = size
    return found
