# fails: 1


where_is_time = where(change("cores", lambda p: p["batch"] * p["decode_ms"] / p["cores"]))
