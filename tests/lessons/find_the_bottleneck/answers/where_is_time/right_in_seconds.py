def where_is_time(profile):
    batch, workers = profile["batch"], profile["workers"]
    read, decode, transport, step = (profile[k] / 1e3 for k in ("read_ms", "decode_ms", "transport_ms", "step_ms"))
    if workers == 0:
        return ("loop", 1e3 * (batch * read + batch * decode + step))
    needs = [
        ((batch * (read + decode) + transport / 2) / workers, "workers"),
        ((batch * decode + transport) / profile["cores"], "cores"),
        (transport / 2 + step, "loop"),
    ]
    seconds, name = max(needs)
    return name, seconds * 1e3
