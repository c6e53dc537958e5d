# fails: 0


where_is_time = where(change("workers", lambda p: needs(p)["workers"] + p["transport_ms"] / 2 / p["workers"]))
