PackedFields = ByDtype
