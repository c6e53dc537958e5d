# fails: 3


where_is_time = where(
    change("loop", lambda p: max(needs(p)["loop"] - p["step_ms"], p["step_ms"]), lambda p: not p["workers"])
)
