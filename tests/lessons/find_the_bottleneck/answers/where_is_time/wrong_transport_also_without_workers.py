# fails: 3


where_is_time = where(
    change("loop", lambda p: needs(p)["loop"] + p["transport_ms"], lambda p: not p["workers"])
)
