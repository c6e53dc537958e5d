# fails: 2


DevicePrefetcher = changed(wait=lambda self, copied: copied.synchronize())
