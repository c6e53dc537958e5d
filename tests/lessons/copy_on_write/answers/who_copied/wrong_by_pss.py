# fails: 1, 2, 3


who_copied = naming(grown("Pss"))
