def plan_shards(samples, field_bytes, ranks, workers, target_bytes):
    """How many samples fit, and then how many shards they need."""
    each = sum(512 - (-n // 512) * 512 for n in field_bytes)
    fit = (target_bytes // 10_240 * 10_240 - 1024) // each
    shards, group = -(-samples // fit), ranks * workers
    return max(1, -(-shards // group)) * group
