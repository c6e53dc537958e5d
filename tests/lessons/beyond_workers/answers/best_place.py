# %% right: by a dictionary
def best_place(step_ms, cores, core_ms, crop_ms, device_ms, jpeg_ms):
    times = {
        "cores": max(core_ms / cores, crop_ms, step_ms),
        "device": max(device_ms + step_ms, jpeg_ms),
    }
    place = min(times, key=times.get)  # the first one where both are equal
    return place, times[place]

# %% right: with branches
def best_place(step_ms, cores, core_ms, crop_ms, device_ms, jpeg_ms):
    decoding = core_ms / cores
    on_cores = decoding
    if crop_ms > on_cores:
        on_cores = crop_ms
    if step_ms > on_cores:
        on_cores = step_ms
    on_device = step_ms + device_ms
    if jpeg_ms > on_device:
        on_device = jpeg_ms
    if on_device < on_cores:
        return "device", on_device
    return "cores", on_cores

# %% right: by rates
def best_place(step_ms, cores, core_ms, crop_ms, device_ms, jpeg_ms):
    on_cores = min(cores / core_ms, 1 / crop_ms, 1 / step_ms)
    on_device = min(1 / jpeg_ms, 1 / (device_ms + step_ms))
    if on_device > on_cores * (1 + 1e-9):
        return "device", 1 / on_device
    return "cores", 1 / on_cores

# %% right: a sorted list
def best_place(step_ms, cores, core_ms, crop_ms, device_ms, jpeg_ms):
    ways = [(max(core_ms / cores, crop_ms, step_ms), "cores"), (max(jpeg_ms, device_ms + step_ms), "device")]
    ms, place = sorted(ways)[0]
    return [place, ms]

# %% wrong: nothing takes turns · fails 1, 3
def best_place(step_ms, cores, core_ms, crop_ms, device_ms, jpeg_ms):
    on_cores = max(core_ms / cores, crop_ms, step_ms)
    on_device = max(jpeg_ms, device_ms, step_ms)
    return ("cores", on_cores) if on_cores <= on_device else ("device", on_device)

# %% wrong: all adds up · fails 0, 1, 2, 3
def best_place(step_ms, cores, core_ms, crop_ms, device_ms, jpeg_ms):
    on_cores = core_ms / cores + crop_ms + step_ms
    on_device = jpeg_ms + device_ms + step_ms
    return ("cores", on_cores) if on_cores <= on_device else ("device", on_device)

# %% wrong: without the link · fails 0, 2
def best_place(step_ms, cores, core_ms, crop_ms, device_ms, jpeg_ms):
    on_cores = max(core_ms / cores, step_ms)
    on_device = device_ms + step_ms
    return ("cores", on_cores) if on_cores <= on_device else ("device", on_device)

# %% wrong: without the JPEGs · fails 2
def best_place(step_ms, cores, core_ms, crop_ms, device_ms, jpeg_ms):
    on_cores = max(core_ms / cores, crop_ms, step_ms)
    on_device = device_ms + step_ms
    return ("cores", on_cores) if on_cores <= on_device else ("device", on_device)

# %% wrong: one core only · fails 0, 3
def best_place(step_ms, cores, core_ms, crop_ms, device_ms, jpeg_ms):
    on_cores = max(core_ms, crop_ms, step_ms)
    on_device = max(jpeg_ms, device_ms + step_ms)
    return ("cores", on_cores) if on_cores <= on_device else ("device", on_device)

# %% wrong: the device where both are equal · fails 3
def best_place(step_ms, cores, core_ms, crop_ms, device_ms, jpeg_ms):
    on_cores = max(core_ms / cores, crop_ms, step_ms)
    on_device = max(jpeg_ms, device_ms + step_ms)
    return ("cores", on_cores) if on_cores < on_device else ("device", on_device)

# %% wrong: the longer time · fails 0, 1, 2, 3
def best_place(step_ms, cores, core_ms, crop_ms, device_ms, jpeg_ms):
    on_cores = max(core_ms / cores, crop_ms, step_ms)
    on_device = max(jpeg_ms, device_ms + step_ms)
    return ("cores", on_cores) if on_cores >= on_device else ("device", on_device)

# %% wrong: whole milliseconds · fails 1
def best_place(step_ms, cores, core_ms, crop_ms, device_ms, jpeg_ms):
    on_cores = int(max(core_ms // cores, crop_ms, step_ms))
    on_device = int(max(jpeg_ms, device_ms + step_ms))
    return ("cores", on_cores) if on_cores <= on_device else ("device", on_device)

# %% wrong: the place only · fails 0, 1, 2, 3
def best_place(step_ms, cores, core_ms, crop_ms, device_ms, jpeg_ms):
    on_cores = max(core_ms / cores, crop_ms, step_ms)
    on_device = max(jpeg_ms, device_ms + step_ms)
    return "cores" if on_cores <= on_device else "device"
