PackedStrings = Right
