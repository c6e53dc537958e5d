# fails: 0, 1


where_is_time = where(change("workers", lambda p: p["batch"] * (p["read_ms"] + p["decode_ms"])))
