# fails: 1


where_is_time = where(
    change("cores", lambda p: (p["batch"] * (p["read_ms"] + p["decode_ms"]) + p["transport_ms"]) / p["cores"])
)
