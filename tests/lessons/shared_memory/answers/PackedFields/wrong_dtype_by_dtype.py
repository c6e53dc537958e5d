# fails: 2


def by_groups(packed):
    """The fields come back dtype by dtype."""
    batch = ByDtype.unpack(packed)
    groups = {}
    for name, field in batch.items():
        groups.setdefault(field.dtype, {})[name] = field
    return {name: field for group in groups.values() for name, field in group.items()}


PackedFields = packing(unpack=by_groups)
