PinnableBatch = with_fields(pinned)
