import numpy as np


def choose_num_workers(throughputs, tolerance=0.05):
    workers = np.array(sorted(throughputs))
    medians = np.array([np.median(throughputs[w]) for w in workers])
    return workers[np.argmax(medians >= (1 - tolerance) * medians.max())]
