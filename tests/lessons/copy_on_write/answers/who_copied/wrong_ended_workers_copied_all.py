# fails: 3


who_copied = naming(lost("Shared_Dirty"), pids=lambda before, after: before)
