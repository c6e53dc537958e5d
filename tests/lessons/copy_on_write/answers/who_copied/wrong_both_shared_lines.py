# fails: 2


who_copied = naming(lost("Shared_Clean", "Shared_Dirty"))
