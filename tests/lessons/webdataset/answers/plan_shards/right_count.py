from itertools import count


def plan_shards(samples, field_bytes, ranks, workers, target_bytes):
    def largest(shards):
        members = [512 + (n + 511) // 512 * 512 for n in field_bytes] * (-(-samples // shards))
        return (sum(members) + 1024 + 10_239) // 10_240 * 10_240

    return next(n for n in count(ranks * workers, ranks * workers) if largest(n) <= target_bytes)
