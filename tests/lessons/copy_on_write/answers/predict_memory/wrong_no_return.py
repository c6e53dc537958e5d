# fails: 0, 1, 2, 3, 4, 5


def predict_memory(*a, **k):
    return None
