# fails: 4


def choose_batch_size(*arguments):
    found = choice()(*arguments)
    if found is None:
        raise ValueError("max() arg is an empty sequence")
    return found
