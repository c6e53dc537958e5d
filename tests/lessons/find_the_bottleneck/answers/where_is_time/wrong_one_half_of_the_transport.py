# fails: 1


where_is_time = where(change("cores", lambda p: needs(p)["cores"] - p["transport_ms"] / 2 / p["cores"]))
