# fails: 6


NOTHING = {"keep": lambda self, sent: None}


DevicePrefetcher = changed(**NOTHING)
