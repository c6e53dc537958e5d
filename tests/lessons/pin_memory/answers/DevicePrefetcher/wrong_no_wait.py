# fails: 4


DevicePrefetcher = changed(wait=lambda self, copied: None)
