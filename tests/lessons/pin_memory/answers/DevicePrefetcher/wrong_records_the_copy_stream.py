# fails: 6


def records_copy_stream(self, sent):
    for tensor in sent:
        tensor.record_stream(self.stream)


DevicePrefetcher = changed(keep=records_copy_stream)
