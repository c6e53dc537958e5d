# fails: 0, 1, 2, 3


who_copied = naming(grown("Rss"))
