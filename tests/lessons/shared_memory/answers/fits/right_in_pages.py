import math


def fits(loaders, shm_bytes):
    left, ahead = shm_bytes // 4096, 0
    for o in (o for o in loaders if o["num_workers"] > 0):
        each = sum(math.ceil(n / 4096) for n in o["tensor_bytes"])
        left -= each * o["held"] * (not o["pin_memory"])
        match o["state"], o["persistent_workers"]:
            case ("running", _) | ("break", True):
                ahead += each * o["num_workers"]
    factor = math.floor(left / ahead)
    return factor if factor >= 1 else None
