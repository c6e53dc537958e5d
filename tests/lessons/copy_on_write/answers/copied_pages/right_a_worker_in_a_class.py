class Worker:
    def __init__(self, page_of):
        self.page_of, self.own = page_of, {}

    def read(self, index):
        self.own.setdefault(self.page_of[index], index)

    @property
    def copies(self):
        return len(self.own) - (None in self.own)


def copied_pages(page_of, reads):
    workers = [Worker(page_of) for _indices in reads]
    for worker, indices in zip(workers, reads):
        for index in indices:
            worker.read(index)
    return sum(worker.copies for worker in workers)
