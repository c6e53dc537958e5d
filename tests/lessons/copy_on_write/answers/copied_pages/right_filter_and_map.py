def copied_pages(page_of, reads):
    def of_a_worker(indices):
        return len(set(filter(lambda page: page is not None, map(page_of.__getitem__, indices))))

    return sum(map(of_a_worker, reads))
