DevicePrefetcher = Prefetcher
