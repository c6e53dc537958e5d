import numpy as np


def where_is_time(profile):
    p = {name: np.float64(value) for name, value in profile.items()}
    if not profile["workers"]:
        return ["loop", p["batch"] * p["read_ms"] + p["batch"] * p["decode_ms"] + p["step_ms"]]
    half = p["transport_ms"] * 0.5
    names = np.array(["workers", "cores", "loop"])
    times = np.array(
        [
            p["batch"] / p["workers"] * (p["read_ms"] + p["decode_ms"]) + half / p["workers"],
            p["batch"] / p["cores"] * p["decode_ms"] + p["transport_ms"] / p["cores"],
            half + p["step_ms"],
        ]
    )
    return str(names[times.argmax()]), times.max()
