# fails: 2, 5


DevicePrefetcher = changed(non_blocking=False)
