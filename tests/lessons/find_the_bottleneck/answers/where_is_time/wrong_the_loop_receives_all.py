# fails: 2


where_is_time = where(change("loop", lambda p: p["step_ms"] + p["transport_ms"]))
