# fails: 5


PackedStrings = AList
