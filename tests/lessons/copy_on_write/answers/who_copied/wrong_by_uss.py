# fails: 1, 2


who_copied = naming(grown("Private_Clean", "Private_Dirty"))
