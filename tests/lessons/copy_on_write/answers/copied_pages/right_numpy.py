import numpy as np


def copied_pages(page_of, reads):
    pages = np.array([-1 if page is None else page for page in page_of], dtype=np.int64)
    found = 0
    for indices in reads:
        own = pages[np.asarray(indices, dtype=int)]
        found += np.unique(own[own >= 0]).size
    return found
