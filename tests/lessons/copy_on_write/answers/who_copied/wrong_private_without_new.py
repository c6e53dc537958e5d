# fails: 2


who_copied = naming(lambda before, after: grown("Private_Clean", "Private_Dirty")(before, after) - grown("Rss")(before, after))
