import numpy as np


def fits(loaders, shm_bytes):
    rows = np.array([(o["held"] * (not o["pin_memory"]), o["num_workers"] * orders(o), size(o)) for o in loaders])
    fixed, ahead = rows[:, :2].T @ rows[:, 2]
    factor, _rest = divmod(shm_bytes - fixed, ahead)
    if factor >= 1:
        return factor
